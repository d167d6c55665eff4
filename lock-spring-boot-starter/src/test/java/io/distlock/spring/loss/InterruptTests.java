package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A thread that is interrupted while a locked method waits for its lock. */
class InterruptTests {

    private final ApplicationContextRunner runner = LockTestContext.inMemory().withBean(Jobs.class);

    static class Jobs {

        private volatile boolean ran;

        @DistributedLock(name = "job", waitTime = "1m")
        public void run() {
            ran = true;
        }
    }

    /** What the interrupted call came to see. */
    private record Seen(Throwable failure, boolean interrupted) {}

    @Test
    void anInterruptedWaitEndsWithTheFlagSetAndLeavesNothing() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            LockClient other = LockTestContext.another(context);
            HeldLock held = other.acquire(other.request("job"));
            FutureTask<Seen> call = new FutureTask<>(() -> seen(jobs));
            Thread thread = new Thread(call);
            thread.start();
            await().until(() ->
                    other.inspect(LockKey.of("job")).orElseThrow().waiters().orElseThrow() == 1);
            thread.interrupt();
            assertThat(call.get().failure()).isInstanceOf(LockInterruptedException.class);
            assertThat(call.get().interrupted()).isTrue();
            assertThat(jobs.ran).isFalse();
            assertThat(other.inspect(LockKey.of("job")).orElseThrow().waiters()).hasValue(0);
            held.close();
            assertThat(keys(context.getBean(LockProvider.class))).isEqualTo(0);
        });
    }

    @Test
    void aThreadThatIsInterruptedAlreadyDoesNotAsk() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Thread.currentThread().interrupt();
            Seen seen = seen(jobs);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(seen.failure()).isInstanceOf(LockInterruptedException.class);
            assertThat(jobs.ran).isFalse();
            assertThat(keys(context.getBean(LockProvider.class))).isEqualTo(0);
        });
    }

    /** The place is free again: the next call of this process is not held up by the one that has gone. */
    @Test
    void theNextCallGetsTheLock() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Thread.currentThread().interrupt();
            seen(jobs);
            assertThat(Thread.interrupted()).isTrue();
            LockClient client = context.getBean(LockClient.class);
            assertThat(client.tryAcquire(client.request("job").withWaitTime(Duration.ZERO)))
                    .isPresent();
        });
    }

    private static Seen seen(Jobs jobs) {
        try {
            jobs.run();
            return new Seen(new AssertionError("the lock was had"), false);
        } catch (LockInterruptedException interrupt) {
            return new Seen(interrupt, Thread.currentThread().isInterrupted());
        }
    }

    private static Object keys(LockProvider provider) throws Exception {
        return provider.check().toCompletableFuture().get().details().get("keys");
    }
}
