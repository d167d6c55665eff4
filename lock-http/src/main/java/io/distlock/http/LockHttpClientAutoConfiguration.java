package io.distlock.http;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of clients that send the sequencers of their locks to the hosts named by a property. */
@AutoConfiguration
@EnableConfigurationProperties(LockHttpProperties.class)
public final class LockHttpClientAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockSequencerInterceptor lockSequencerInterceptor(LockHttpProperties properties) {
        return new LockSequencerInterceptor(properties.hosts(), properties.header());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    static class RestClients {

        @Bean
        RestClientCustomizer lockRestClientCustomizer(
                LockHttpProperties properties, LockSequencerInterceptor interceptor) {
            return builder -> {
                if (!properties.hosts().isEmpty()) {
                    builder.requestInterceptor(interceptor);
                }
            };
        }

        @Bean
        RestTemplateCustomizer lockRestTemplateCustomizer(
                LockHttpProperties properties, LockSequencerInterceptor interceptor) {
            return template -> {
                if (!properties.hosts().isEmpty()) {
                    template.getInterceptors().add(interceptor);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClientCustomizer.class)
    static class WebClients {

        @Bean
        @ConditionalOnMissingBean
        LockSequencerFilter lockSequencerFilter(LockHttpProperties properties) {
            return new LockSequencerFilter(properties.hosts(), properties.header());
        }

        @Bean
        WebClientCustomizer lockWebClientCustomizer(LockHttpProperties properties, LockSequencerFilter filter) {
            return builder -> {
                if (!properties.hosts().isEmpty()) {
                    builder.filter(filter);
                }
            };
        }
    }
}
