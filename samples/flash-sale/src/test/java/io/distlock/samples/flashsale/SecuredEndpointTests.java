package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The endpoint behind Spring Security, as the page on operating locks configures it, and without that. */
@OperatedShop
@Import(SecuredEndpointTests.Security.class)
class SecuredEndpointTests {

    @TestConfiguration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Security {

        @Bean
        @Order(1)
        SecurityFilterChain actuator(HttpSecurity http) throws Exception {
            return http.securityMatcher("/actuator/**")
                    .authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.DELETE)
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/locks"))
                    .build();
        }

        /** Everything else keeps the check. */
        @Bean
        SecurityFilterChain others(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        @SuppressWarnings("deprecation") // a password in clear is good enough here
        UserDetailsService users() {
            User.UserBuilder builder = User.withDefaultPasswordEncoder();
            return new InMemoryUserDetailsManager(
                    builder.username("operator").password("o").roles("OPERATOR").build(),
                    builder.username("guest").password("g").roles("GUEST").build());
        }
    }

    @Autowired
    LockClient client;

    @LocalServerPort
    int port;

    private HeldLock held;

    @BeforeEach
    void hold() {
        held = client.acquire(client.request("secured", "42"));
    }

    @AfterEach
    void release() {
        held.release();
    }

    private static void operator(HttpHeaders headers) {
        headers.setBasicAuth("operator", "o");
    }

    private static void guest(HttpHeaders headers) {
        headers.setBasicAuth("guest", "g");
    }

    private RestTestClient.ResponseSpec send(HttpMethod method, String path, Consumer<HttpHeaders> user) {
        return RestTestClient.bindToServer()
                .build()
                .method(method)
                .uri(URI.create("http://127.0.0.1:" + port + path))
                .headers(user)
                .exchange();
    }

    private String lock() {
        return "/actuator/locks?name=secured&key=42&token="
                + held.fencingToken().value();
    }

    @Test
    void anOperatorTakesALockAwayWithoutACsrfToken() {
        send(HttpMethod.DELETE, lock(), SecuredEndpointTests::operator)
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.release")
                .isEqualTo("RELEASED");
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void nobodyElseDoes() {
        send(HttpMethod.DELETE, lock(), SecuredEndpointTests::guest)
                .expectStatus()
                .isForbidden();
        send(HttpMethod.DELETE, lock(), nobody -> {}).expectStatus().isUnauthorized();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void whereNothingIsExemptADeleteNeedsACsrfToken() {
        send(HttpMethod.DELETE, "/anything", SecuredEndpointTests::operator)
                .expectStatus()
                .isForbidden();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b%25", "50% off", "ключ ☃ +1&x=y", "a//b/../c", "%2F", "#"})
    void anyKeyIsReachedThroughTheFirewall(String key) {
        try (HeldLock other = client.acquire(client.request("secured", key))) {
            String encoded = URLEncoder.encode(key, StandardCharsets.UTF_8);
            send(HttpMethod.GET, "/actuator/locks?name=secured&key=" + encoded, SecuredEndpointTests::operator)
                    .expectStatus()
                    .isOk()
                    .expectBody()
                    .jsonPath("$.key")
                    .isEqualTo(key)
                    .jsonPath("$.holders[0].token")
                    .isEqualTo(other.fencingToken().value());
        }
    }

    @Test
    void aSlashNeedsNoEncoding() {
        try (HeldLock other = client.acquire(client.request("secured", "a/b%"))) {
            send(HttpMethod.GET, "/actuator/locks?name=secured&key=a/b%25", SecuredEndpointTests::operator)
                    .expectBody()
                    .jsonPath("$.held")
                    .isEqualTo(other.isHeld());
        }
    }

    @Test
    void anUnknownProviderIsAProblemAndAFreeLockIsNot() {
        send(HttpMethod.GET, "/actuator/locks?name=secured&key=42&provider=zookeeper", SecuredEndpointTests::operator)
                .expectStatus()
                .isNotFound()
                .expectHeader()
                .contentType("application/problem+json")
                .expectBody()
                .jsonPath("$.detail")
                .value(detail -> assertThat(detail).asString().contains("there is no lock provider 'zookeeper'"));
        send(HttpMethod.GET, "/actuator/locks?name=secured&key=43&provider=REDIS", SecuredEndpointTests::operator)
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.held")
                .isEqualTo(false);
    }
}
