package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.CallsInFlight;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the parts of one client share. Thread-safe.
 *
 * @param random draws the jitter of renewals
 * @param watchers make the listeners of single requests
 * @param openWork counts what closing waits for: questions to the store, locks held, releases under way
 */
record ClientContext(
        LockProvider provider,
        LockRuntime runtime,
        CallbackExecutor callbacks,
        OwnerIds ownerIds,
        Supplier<? extends RandomGenerator> random,
        List<LockListener> listeners,
        List<Function<LockRequest, LockListener.OfRequest>> watchers,
        KeyQueues queues,
        Watchdog watchdog,
        CallsInFlight openWork) {

    private static final Logger log = LoggerFactory.getLogger(ClientContext.class);

    ClientContext(LockProvider provider, LockRuntime runtime, CallbackExecutor callbacks, String instance) {
        this(
                provider,
                runtime,
                callbacks,
                new OwnerIds(instance, runtime.ticker(), OwnerIds.kernel()),
                ThreadLocalRandom::current,
                new CopyOnWriteArrayList<>(),
                new CopyOnWriteArrayList<>(),
                new KeyQueues(),
                new Watchdog(provider, runtime),
                new CallsInFlight());
    }

    /** Creates the event, with the name of the provider, only if there is a listener. Listener exceptions are logged. */
    void publish(Function<String, LockEvent> event) {
        if (!listeners.isEmpty()) {
            LockEvent made = event.apply(provider.name());
            notify(listeners, listener -> listener.onEvent(made), made);
        }
    }

    static <L> void notify(List<L> listeners, Consumer<L> call, Object what) {
        for (L listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable failure) {
                // Of any kind, for example if it is written in Kotlin.
                log.warn("Lock listener {} failed on {}", listener, what, failure);
            }
        }
    }

    Ticker ticker() {
        return runtime.ticker();
    }

    Duration since(long nanos) {
        return Duration.ofNanos(ticker().nanos() - nanos);
    }

    /** Time between two readings of the monotonic clock; zero if the first is the later one. */
    static Duration between(long earlier, long later) {
        return Duration.ofNanos(Math.max(0, later - earlier));
    }

    /** The validity of a lease: its time minus the possible clock drift. */
    long validityNanos(Duration leaseTime) {
        long lease = leaseTime.toNanos();
        return lease - (long) (lease * provider.clockDrift()) - 2_000_000;
    }

    /** If the provider fails to report a loss, the next renewal discovers it. */
    void listenForLoss(Lease lease, Runnable lost) {
        try {
            provider.onLoss(lease, lost);
        } catch (RuntimeException | Error broken) {
            log.warn("The provider '{}' failed to watch '{}'", provider.name(), lease.key(), broken);
        }
    }

    /**
     * Releases a lease; ends within the provider's call timeout and never fails. The reaper follows up unknown outcomes
     * until the time to live is over. How long the key must stay taken is evaluated for each try.
     */
    CompletableFuture<Release> release(Lease lease, Duration timeToLive, Supplier<Duration> keepFor) {
        return tryRelease(lease, keepFor).thenApply(release -> {
            if (release == Release.UNKNOWN) {
                String what = "The release of '" + lease.key() + "' by " + lease.owner();
                runtime.reaper().reap(what, timeToLive, () -> tryRelease(lease, keepFor));
            }
            return release;
        });
    }

    private CompletableFuture<Release> tryRelease(Lease lease, Supplier<Duration> keepFor) {
        CompletionStage<Release> asked;
        try {
            asked = Objects.requireNonNull(provider.release(lease, keepFor.get()));
        } catch (RuntimeException | Error broken) {
            // Even then, the holder must not wait forever.
            log.warn("The provider '{}' failed to release '{}'", provider.name(), lease.key(), broken);
            return CompletableFuture.completedFuture(Release.UNKNOWN);
        }
        return runtime.timeouts()
                .within(provider.callTimeout(), asked)
                .handle((release, failure) -> Objects.requireNonNullElse(release, Release.UNKNOWN));
    }
}
