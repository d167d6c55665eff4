package io.distlock.engine;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.engine.KeyQueues.Ticket;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.CallsInFlight;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** A lock held at a store that answers at once. Its threads are the actors: losses are announced on the one that finds them. */
final class StressedLock {

    private static final LockKey KEY = LockKey.of("key");
    private static final LockScheduler NEVER = new LockScheduler() {
        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            return () -> {};
        }

        @Override
        public void close() {}
    };
    private static final LockRuntime RUNTIME = new LockRuntime(Ticker.system(), NEVER);
    private static final CallbackExecutor CALLBACKS = new CallbackExecutor(Runnable::run, Runnable::run, () -> {});
    private static final OwnerIds OWNERS = new OwnerIds("stress", RUNTIME.ticker(), OwnerIds.kernel());
    private static final Watchdog WATCHDOG = new Watchdog(new Store(), RUNTIME);

    private final Store store = new Store();
    final KeyQueues queues = new KeyQueues();
    final CallsInFlight openWork = new CallsInFlight();
    final AtomicInteger losses = new AtomicInteger();
    final DefaultHeldLock lock;

    StressedLock() {
        ClientContext context = new ClientContext(
                store,
                RUNTIME,
                CALLBACKS,
                OWNERS,
                ThreadLocalRandom::current,
                List.of(),
                List.of(),
                queues,
                WATCHDOG,
                openWork);
        Ticket ticket = new Ticket(KEY, LockMode.EXCLUSIVE, () -> {});
        queues.enter(ticket, true);
        openWork.begin();
        Grant grant = new Grant(new StressedLease(), RUNTIME.ticker().now());
        lock = new DefaultHeldLock(context, LockOptions.defaults(), grant, ticket, new Asker("stress", null), 1);
        lock.onLost(loss -> losses.incrementAndGet());
    }

    int releases() {
        return store.releases.get();
    }

    /** Whether the lock holds up neither the next call in the queue nor the closing of the client. */
    boolean isDoneWith() {
        return queues.size() == 0 && openWork.drained().isDone() && !lock.isHeld();
    }

    private record StressedLease() implements Lease {

        @Override
        public LockKey key() {
            return KEY;
        }

        @Override
        public LockMode mode() {
            return LockMode.EXCLUSIVE;
        }

        @Override
        public String owner() {
            return "owner";
        }

        @Override
        public FencingToken token() {
            return new FencingToken(1);
        }
    }

    private static final class Store implements LockProvider {

        private final AtomicInteger releases = new AtomicInteger();

        @Override
        public String name() {
            return "stress";
        }

        @Override
        public Duration callTimeout() {
            return Duration.ofSeconds(1);
        }

        @Override
        public CompletionStage<Release> release(Lease lease, Duration keepFor) {
            releases.incrementAndGet();
            return CompletableFuture.completedFuture(Release.RELEASED);
        }

        @Override
        public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void renew(Collection<Lease> leases, Renewal.Answers answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<ProviderStatus> check() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
