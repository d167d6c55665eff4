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
public abstract class CallbackFixture {

    protected final ManualTicker ticker = new ManualTicker();
    protected final LockRuntime runtime = ManualScheduler.runtime(ticker);
    protected final FaultyLockProvider provider = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    protected final CountDownLatch done = new CountDownLatch(1);
    protected final List<LockClient> clients = new ArrayList<>();

    @AfterEach
    protected void close() {
        done.countDown();
        clients.forEach(LockClient::close);
    }

    protected LockClient client(LockClientBuilder builder) {
        LockClient client = builder.shutdownTimeout(Duration.ZERO).build();
        clients.add(client);
        return client;
    }

    protected LockClient client(Executor callbacks) {
        return client(LockClientBuilder.of(provider, runtime).callbackExecutor(callbacks));
    }

    protected LockClient client() {
        return client(LockClientBuilder.of(provider, runtime));
    }

    protected static List<Executor> executorsThatThrow() {
        return List.of(
                task -> {
                    throw new IllegalStateException("executor fails on purpose");
                },
                task -> {
                    throw new OutOfMemoryError("unable to create native thread, on purpose");
                });
    }

    protected static void meet(CountDownLatch all) {
        all.countDown();
        awaitQuietly(all);
    }

    /** At the store, by somebody else. */
    protected void takeAway(HeldLock held) {
        LockClient other = client(Runnable::run);
        other.forceRelease(held.keys().get(0), held.fencingToken());
    }

    protected static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
