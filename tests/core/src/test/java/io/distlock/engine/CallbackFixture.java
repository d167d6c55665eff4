package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;

/** Clients with all kinds of callback executors, on a store that the test makes fail. */
abstract class CallbackFixture {

    final ManualTicker ticker = new ManualTicker();
    final LockRuntime runtime = ManualScheduler.runtime(ticker);
    final FaultyLockProvider provider = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    final CountDownLatch done = new CountDownLatch(1);
    final List<LockClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        done.countDown();
        clients.forEach(LockClient::close);
    }

    LockClient client(LockClientBuilder builder) {
        LockClient client = builder.shutdownTimeout(Duration.ZERO).build();
        clients.add(client);
        return client;
    }

    LockClient client(Executor callbacks) {
        return client(LockClientBuilder.of(provider, runtime).callbackExecutor(callbacks));
    }

    LockClient client() {
        return client(LockClientBuilder.of(provider, runtime));
    }

    static List<Executor> executorsThatThrow() {
        return List.of(
                task -> {
                    throw new IllegalStateException("executor fails on purpose");
                },
                task -> {
                    throw new OutOfMemoryError("unable to create native thread, on purpose");
                });
    }

    static void meet(CountDownLatch all) {
        all.countDown();
        awaitQuietly(all);
    }

    /** At the store, by somebody else. */
    void takeAway(HeldLock held) {
        LockClient other = client(Runnable::run);
        other.forceRelease(held.keys().get(0), held.fencingToken());
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
