package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.test.provider.FaultyLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** Whoever may not call a method must not be able to keep others from it. */
class MethodSecurityTests {

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Secured {}

    static class Shop {

        @PreAuthorize("hasRole('CLERK')")
        @DistributedLock("shop")
        public String sell() {
            return "sold";
        }
    }

    @BeforeEach
    void logIn() {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("guest", ""));
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void aCallThatIsNotAllowedTakesNoLock() {
        LockTestContext.manual()
                .withUserConfiguration(Secured.class)
                .withBean(Shop.class)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(shop::sell);
                    assertThat(context.getBean(FaultyLockProvider.class).acquires())
                            .isZero();
                });
    }
}
