package io.distlock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.LockTestContext;
import io.distlock.spring.execution.Executions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.authorization.method.AuthorizationInterceptorsOrder;

class LockAopAutoConfigurationTests {

    @Test
    void theUsersOwnBeansComeFirst() {
        LockTestContext.inMemory().withUserConfiguration(Own.class).run(context -> {
            assertThat(context).hasNotFailed();
            for (Class<?> type : List.of(LockOperationSource.class, LockAdvisor.class, LockedBeansValidator.class)) {
                assertThat(context.getBeanNamesForType(type))
                        .singleElement()
                        .asString()
                        .startsWith("own");
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        static LockOperationSource ownSource(ConfigurableListableBeanFactory beans, Executions executions) {
            return new LockOperationSource(beans, executions);
        }

        @Bean
        static LockAdvisor ownAdvisor(LockOperationSource source, ConfigurableListableBeanFactory beans) {
            return new LockAdvisor(source, beans, 7);
        }

        @Bean
        static LockedBeansValidator ownValidator(
                ConfigurableListableBeanFactory beans, LockOperationSource source, Executions executions) {
            return new LockedBeansValidator(beans, source, executions);
        }
    }

    @Test
    void theOrderOfTheAdvisorIsAProperty() {
        LockTestContext.inMemory()
                .withPropertyValues("distributed-lock.advisor-order=42")
                .run(context -> assertThat(context.getBean(LockAdvisor.class).getOrder())
                        .isEqualTo(42));
        LockTestContext.inMemory()
                .run(context -> assertThat(context.getBean(LockAdvisor.class).getOrder())
                        .isEqualTo(1_000)
                        .isBetween(AuthorizationInterceptorsOrder.POST_FILTER.getOrder(), Ordered.LOWEST_PRECEDENCE));
    }
}
