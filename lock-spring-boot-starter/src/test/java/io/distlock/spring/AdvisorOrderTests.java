package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** What is outside the lock and what is inside, where Spring decides it. */
class AdvisorOrderTests {

    private final List<String> journal = new ArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    @EnableResilientMethods
    static class Application {

        @Bean
        ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    static class Jobs {

        private final List<String> journal;

        Jobs(List<String> journal) {
            this.journal = journal;
        }

        @Retryable(maxRetries = 1, delay = 0)
        @DistributedLock("retried")
        public void retried() {
            journal.add("body");
            throw new IllegalStateException("of the body");
        }

        @Cacheable("values")
        @DistributedLock("cached")
        public String cached() {
            journal.add("body");
            return "value";
        }
    }

    private void run(Consumer<Jobs> test) {
        LockTestContext.inMemory()
                .withUserConfiguration(Application.class)
                .withBean(LockListener.class, () -> event -> note(event))
                .withBean(Jobs.class, () -> new Jobs(journal))
                .run(context -> test.accept(context.getBean(Jobs.class)));
    }

    private void note(LockEvent event) {
        journal.add(event.getClass().getSimpleName());
    }

    @Test
    void aRetryIsOutsideTheLockAndTakesItAnew() {
        run(jobs -> assertThatIllegalStateException().isThrownBy(jobs::retried));
        assertThat(journal).containsExactly("Acquired", "body", "Released", "Acquired", "body", "Released");
    }

    @Test
    void aCacheIsInsideTheLockSoThatOneCallFillsIt() {
        run(jobs -> {
            jobs.cached();
            jobs.cached();
        });
        assertThat(journal).containsExactly("Acquired", "body", "Released", "Acquired", "Released");
    }
}
