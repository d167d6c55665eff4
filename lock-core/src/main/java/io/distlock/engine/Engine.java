package io.distlock.engine;

import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of one client share. Thread-safe. */
final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private final LockProvider provider;
    private final LockRuntime runtime;
    private final CallbackThreads callbacks;
    private final Listeners listeners = new Listeners();
    private final KeyGates gates = new KeyGates();
    private final Owners owners;
    private final Watchdog watchdog;

    /** All foreign code, losses included, runs on the executor. */
    Engine(LockProvider provider, LockRuntime runtime, Executor callbacks) {
        this(provider, runtime, new CallbackThreads(callbacks, callbacks, () -> {}), "");
    }

    /**
     * @param instance whose locks these are, for people; may be empty
     */
    Engine(LockProvider provider, LockRuntime runtime, CallbackThreads callbacks, String instance) {
        this.provider = provider;
        this.runtime = runtime;
        this.callbacks = callbacks;
        this.owners = new Owners(instance, runtime.ticker(), Owners.kernel());
        this.watchdog = new Watchdog(this);
    }

    LockProvider provider() {
        return provider;
    }

    LockRuntime runtime() {
        return runtime;
    }

    Ticker ticker() {
        return runtime.ticker();
    }

    Listeners listeners() {
        return listeners;
    }

    KeyGates gates() {
        return gates;
    }

    Owners owners() {
        return owners;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    /** Time since a reading of the monotonic clock. */
    Duration since(long nanos) {
        return Duration.ofNanos(ticker().nanos() - nanos);
    }

    /** Time between two readings of the monotonic clock; none if the first one came after all. */
    static Duration between(long earlier, long later) {
        return Duration.ofNanos(Math.max(0, later - earlier));
    }

    /** The validity of a lease: its time less what two clocks may drift apart over it. */
    long validityNanos(LockOptions options) {
        long lease = options.leaseTime().toNanos();
        return lease - (long) (lease * provider.clockDrift()) - 2_000_000;
    }

    CallbackThreads callbacks() {
        return callbacks;
    }

    /** Renewals find out about a loss as well, where the provider fails to tell. */
    void listenForLoss(Lease lease, Runnable lost) {
        try {
            provider.onLoss(lease, lost);
        } catch (RuntimeException | Error broken) {
            log.warn("The provider '{}' failed to watch '{}'", provider.name(), lease.key(), broken);
        }
    }

    /**
     * Gives a lease back; ends within the provider's call timeout and never fails. Where the outcome is unknown the
     * reaper goes on asking.
     *
     * @param keepFor for how long the key is to stay taken, asked anew at each try
     */
    CompletableFuture<Release> giveBack(Lease lease, Duration timeToLive, Supplier<Duration> keepFor) {
        return askForRelease(lease, keepFor).thenApply(release -> {
            if (release == Release.UNKNOWN) {
                runtime.reaper()
                        .reap(
                                "The release of '" + lease.key() + "' by " + lease.owner(),
                                timeToLive,
                                () -> askForRelease(lease, keepFor));
            }
            return release;
        });
    }

    private CompletableFuture<Release> askForRelease(Lease lease, Supplier<Duration> keepFor) {
        CompletionStage<Release> asked;
        try {
            asked = provider.release(lease, keepFor.get());
        } catch (RuntimeException | Error broken) {
            // A provider that breaks its word must not leave the holder waiting for ever.
            log.warn("The provider '{}' failed to release '{}'", provider.name(), lease.key(), broken);
            return CompletableFuture.completedFuture(Release.UNKNOWN);
        }
        return runtime.timeouts().within(provider.callTimeout(), asked).exceptionally(failure -> Release.UNKNOWN);
    }
}
