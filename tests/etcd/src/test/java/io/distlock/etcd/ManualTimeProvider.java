package io.distlock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A provider at a real server for which no time passes unless a test says so: nothing happens because of a timer. */
public final class ManualTimeProvider implements AutoCloseable {

    public final ManualTicker ticker = new ManualTicker();
    public final EtcdLockProvider provider;
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final EtcdConnection connection;
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger owners = new AtomicInteger();

    public ManualTimeProvider(EtcdEndpoint endpoint) {
        connection = LocalEtcd.connection(endpoint);
        provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
        LocalEtcd.awaitConnected(provider, ticker);
    }

    public CompletableFuture<Optional<Grant>> acquire(LockKey key, LockOptions options) {
        return acquire(key, LockMode.EXCLUSIVE, options);
    }

    public CompletableFuture<Optional<Grant>> acquire(LockKey key, LockMode mode, LockOptions options) {
        LeaseRequest.Listener progress = new LeaseRequest.Listener() {
            @Override
            public void refused() {
                refusals.incrementAndGet();
            }

            @Override
            public void failed(Throwable cause) {
                failures.incrementAndGet();
            }
        };
        Deadline deadline = Deadline.in(options.waitTime(), ticker);
        String owner = "owner-" + owners.incrementAndGet();
        return provider.acquire(new LeaseRequest(key, mode, owner, options, deadline, progress));
    }

    /** An acquisition that waits, and relies on its watch. */
    public CompletableFuture<Optional<Grant>> parked(LockKey key, LockOptions options) {
        int before = refusals.get();
        CompletableFuture<Optional<Grant>> waiter = acquire(key, options);
        // Once as it looks, and again once it watches.
        awaitRefusals(before + 2);
        return waiter;
    }

    /**
     * A waiter says that it was refused before it is put off, on the stream of its watch, where one answer follows another. Its
     * question is answered when this returns; the watch stays until the end.
     */
    public void awaitPutOff() {
        TestClient.get(provider.queues.watches.watch(ByteSequence.from("another", UTF_8), 0, () -> {}));
    }

    public int refusals() {
        return refusals.get();
    }

    public void awaitRefusals(int count) {
        Awaitility.await().atMost(TestClient.PATIENCE).until(() -> refusals.get() >= count);
    }

    public int failures() {
        return failures.get();
    }

    public void awaitFailures(int count) {
        Awaitility.await().atMost(TestClient.PATIENCE).until(() -> failures.get() >= count);
    }

    /** How many keys it has begun to delete in the background. */
    public long reaped() {
        return runtime.reaper().pending() + runtime.reaper().withdrawn();
    }

    public void advance(Duration time) {
        ticker.advance(time);
    }

    /** As {@link TestClient#get}, if the last pause was over before it was put off. */
    public <T> T get(CompletionStage<T> stage) {
        await(stage.toCompletableFuture()::isDone);
        return TestClient.get(stage);
    }

    public void await(Callable<Boolean> condition) {
        LocalEtcd.awaitWithoutTime(ticker, condition);
    }

    @Override
    public void close() {
        provider.close();
        connection.close();
        runtime.close();
    }
}
