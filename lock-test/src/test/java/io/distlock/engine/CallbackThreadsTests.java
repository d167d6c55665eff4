package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallbackThreadsTests {

    private static final int LOCKS = 2_000;

    /** A store that is gone takes all locks at once: a thread for each piece of news would end the process. */
    @Test
    void thousandsOfLossesAreToldByABoundedNumberOfThreadsHoweverLongTheyAreListenedTo() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        ManualTicker ticker = new ManualTicker();
        LockRuntime runtime = ManualScheduler.runtime(ticker);
        FaultyLockProvider provider = new FaultyLockProvider(new InMemoryLockProvider(runtime));
        provider.onRenew(Fault.SILENCE);
        CountDownLatch heard = new CountDownLatch(1);
        AtomicInteger told = new AtomicInteger();
        List<HeldLock> held = new ArrayList<>();
        try (LockClient client = LockClientBuilder.of(provider, runtime)
                .shutdownTimeout(Duration.ZERO)
                .build()) {
            for (int lock = 0; lock < LOCKS; lock++) {
                held.add(client.acquire(client.request("orders", "" + lock)));
                held.get(lock).onLost(loss -> {
                    awaitQuietly(heard);
                    told.incrementAndGet();
                });
            }
            ticker.advance(Duration.ofSeconds(31));
            assertThat(held).noneMatch(HeldLock::isHeld);
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("distlock-callback-") && !others.contains(thread))
                    .count();
            heard.countDown();
            await().until(() -> told.get() == LOCKS);
            assertThat(threads).isBetween(2L, 256L);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
