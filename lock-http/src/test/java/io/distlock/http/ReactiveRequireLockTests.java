package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.http.Warehouse.Written;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.test.web.reactive.server.WebTestClient;

/** WebFlux. */
class ReactiveRequireLockTests extends RequireLockContract {

    @Override
    ConfigurableApplicationContext start(String... arguments) {
        return ReactiveWarehouse.start(Inside.class, arguments);
    }

    @Override
    void writeOutsideOfARequest() {
        context.getBean(ReactiveWarehouse.Stock.class).write("7").block();
    }

    /** An aspect inside, such as one for transactions, that looks for its call on the thread. */
    @Configuration(proxyBeanMethods = false)
    static class Inside {

        private static final List<String> CALLS = new CopyOnWriteArrayList<>();

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor inside() {
            MethodBeforeAdvice advice = (method, arguments, target) -> CALLS.add(
                    ExposeInvocationInterceptor.currentInvocation().getMethod().getName() + List.of(arguments));
            return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, RequireLock.class, true), advice);
        }
    }

    @Test
    void eachSubscriptionCallsTheAspectsInside() {
        context.getBean(Written.class).between(() -> {});
        Inside.CALLS.clear();
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/twice/7", lock).statusCode()).isEqualTo(200);
        }
        assertThat(Inside.CALLS).containsExactly("write[7]", "write[7]");
    }

    /** As {@code @WebFluxTest} has it. */
    @Test
    void aTestWithoutAServerIsAnsweredAlike() {
        WebTestClient http = WebTestClient.bindToApplicationContext(context).build();
        http.post().uri("/service/7").exchange().expectStatus().isEqualTo(428);
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            http.post()
                    .uri("/service/7")
                    .header(SequencerHeader.NAME, values(lock).get(0))
                    .exchange()
                    .expectStatus()
                    .isOk();
        }
        assertThat(written).containsExactly("7");
    }

    @Test
    void aFunctionalEndpointIsAnsweredAlike() {
        assertRefused(send("POST", "/function/7", List.of()), 428);
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/function/7", lock).body()).isEqualTo("written");
        }
    }

    @Test
    void eachSubscriptionIsCheckedAndCallsTheMethod() {
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/twice/7", lock).statusCode()).isEqualTo(200);
        }
        assertThat(written).containsExactly("7", "7");
        written.clear();
        HeldLock overtaken = locks.acquire(locks.request("stock", "7"));
        List<String> values = values(overtaken);
        context.getBean(Written.class).between(() -> {
            overtaken.release();
            try (HeldLock later = locks.acquire(locks.request("stock", "7"))) {
                assertThat(post("/stock/7", later).statusCode()).isEqualTo(200);
            }
        });
        assertThat(send("POST", "/twice/7", values).statusCode()).isEqualTo(412);
        assertThat(written).containsExactly("7", "7");
    }
}
