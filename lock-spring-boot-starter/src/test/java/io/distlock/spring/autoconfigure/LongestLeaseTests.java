package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a store can never grant is found when the application starts, not at each call. */
class LongestLeaseTests {

    private final ApplicationContextRunner context = LockTestContext.inMemory()
            .withBean("strict", LockProvider.class, () -> new NamedProvider("strict", Duration.ofSeconds(20)));

    static class TooLong {

        @DistributedLock(provider = "strict", leaseTime = "21s")
        public void run() {}
    }

    static class ShortEnough {

        @DistributedLock(provider = "strict", leaseTime = "20s")
        public void run() {}
    }

    static class ByDefault {

        @DistributedLock(provider = "strict")
        public void run() {}
    }

    @Test
    void ofAMethodsOwnLease() {
        context.withBean(TooLong.class)
                .run(started -> assertThat(started.getStartupFailure())
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("TooLong.run()")
                        .hasMessageContaining("leaseTime")
                        .hasMessageContaining("'strict' grants no lease of PT21S: shorten it"));
        context.withBean(ShortEnough.class).run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void ofAMethodThatHasTheDefaultLease() {
        context.withBean(ByDefault.class)
                .run(started -> assertThat(started.getStartupFailure())
                        .isInstanceOf(InvalidLockedMethodsException.class)
                        .hasMessageContaining("grants no lease of PT30S"));
    }

    @Test
    void ofTheDefaultProviderItself() {
        context.withPropertyValues("distributed-lock.provider=strict")
                .run(started -> assertThat(started.getStartupFailure())
                        .hasStackTraceContaining("the store 'strict' grants no lease of PT30S: shorten it")
                        .hasStackTraceContaining(InvalidConfigurationPropertyValueException.class.getName())
                        .hasStackTraceContaining("distributed-lock.lease-time"));
    }

    @Test
    void whatIsBlamedIsThePropertyThatBreaksTheRule() {
        context.withPropertyValues(
                        "distributed-lock.provider=strict",
                        "distributed-lock.lease-time=10s",
                        "distributed-lock.min-hold-time=25s")
                .run(started -> assertThat(started.getStartupFailure())
                        .hasStackTraceContaining("distributed-lock.min-hold-time")
                        .satisfies(failure ->
                                assertThat(String.valueOf(failure.getMessage())).doesNotContain("lease-time")));
    }

    @Test
    void theDefaultLeaseDoesNotMatterToAProviderThatNobodyAsksForIt() {
        context.run(started -> assertThat(started).hasNotFailed());
    }
}
