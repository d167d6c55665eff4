package io.distlock.support;

import io.distlock.LockUnavailableException;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition in steps. Between them it is parked until it is woken or its pause is over. Either a step is under way or a
 * timer runs, so steps never overlap: what only they use needs no lock. At the end it settles, once. Thread-safe.
 */
public abstract class WaitingAcquisition extends CompletableFuture<Optional<Grant>> {

    protected final LeaseRequest request;
    private final LockRuntime runtime;
    private final long startedNanos;
    private boolean busy;
    private boolean woken;
    private boolean settled;
    private LockScheduler.@Nullable Scheduled timer;

    protected WaitingAcquisition(LockRuntime runtime, LeaseRequest request) {
        this.runtime = runtime;
        this.request = request;
        this.startedNanos = runtime.ticker().nanos();
    }

    /** The next step. */
    protected abstract void advance();

    /** The deadline has passed. */
    protected abstract void end();

    /** Leaves nothing behind, here or in the store. Called once it is over and no step is under way. */
    protected abstract void settle();

    /** A step is about to ask the store: any wake-up from here on may be newer than the answer. */
    protected final synchronized void asks() {
        busy = true;
        woken = false;
    }

    /** Continues unless it is over or past its deadline. */
    protected final void goOn(Runnable next) {
        if (isDone()) {
            finish();
        } else if (request.deadline().hasPassed()) {
            end();
        } else {
            next.run();
        }
    }

    /** As {@link #park(Duration, Runnable)}, to {@link #advance()}. */
    protected final void park(Duration pause) {
        park(pause, this::advance);
    }

    /**
     * Ends a step. The next one runs after the pause or when woken; at once if woken since the store was asked.
     *
     * @param unwoken the next step if nothing wakes it
     */
    protected final void park(Duration pause, Runnable unwoken) {
        synchronized (this) {
            if (!woken) {
                busy = false;
                timer = runtime.scheduler().schedule(() -> resume(unwoken), pause);
                return;
            }
        }
        goOn(this::advance);
    }

    /** The lock may have been released. Called by the driver. */
    protected final void wake() {
        synchronized (this) {
            woken = true;
            if (!endPause()) {
                return;
            }
        }
        goOn(this::advance);
    }

    private void resume(Runnable next) {
        synchronized (this) {
            if (!endPause()) {
                return;
            }
        }
        goOn(next);
    }

    /** A wake-up and the timer may race here; only one continues. Called under the monitor. */
    private boolean endPause() {
        if (timer == null) {
            return false;
        }
        timer.cancel();
        timer = null;
        busy = true;
        return true;
    }

    /** It is over. A step in progress settles it when it finishes, without parking. */
    protected final void stop() {
        synchronized (this) {
            woken = true;
            if (busy || settled) {
                return;
            }
            settled = true;
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }
        settle();
    }

    /** It ends with the current step. */
    protected final void finish() {
        synchronized (this) {
            busy = false;
        }
        stop();
    }

    protected final void fail(String why, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(runtime.ticker().nanos() - startedNanos);
        completeExceptionally(new LockUnavailableException(request.key(), waited, why, cause));
        stop();
    }

    public final void failClosed() {
        fail("the provider is closed", null);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        stop();
        return cancelled;
    }
}
