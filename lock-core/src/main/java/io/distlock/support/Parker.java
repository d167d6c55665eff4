package io.distlock.support;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Parks one acquisition between its steps, until it is woken or its pause is over. Either a step is under way or a timer
 * runs, so steps never overlap. At the end the acquisition settles, once. Thread-safe.
 */
public final class Parker {

    private final LockScheduler scheduler;
    private final Runnable next;
    private final Runnable settle;
    private boolean busy;
    private boolean woken;
    private boolean settled;
    private LockScheduler.@Nullable Scheduled timer;

    /**
     * @param next the step after parking; finishes if the acquisition is over
     * @param settle cleans up. Runs once, when the acquisition is over and no step is under way
     */
    public Parker(LockScheduler scheduler, Runnable next, Runnable settle) {
        this.scheduler = scheduler;
        this.next = next;
        this.settle = settle;
    }

    /** A step is about to ask the store: any wake-up from here on may be newer than the answer. */
    public synchronized void asks() {
        busy = true;
        woken = false;
    }

    /** Ends a step. The next one runs after the pause or when woken; at once if woken since the store was asked. */
    public void park(Duration pause) {
        synchronized (this) {
            if (!woken) {
                busy = false;
                timer = scheduler.schedule(this::resume, pause);
                return;
            }
        }
        next.run();
    }

    /** The lock may have been released. Called by the driver. */
    public void wake() {
        synchronized (this) {
            woken = true;
        }
        resume();
    }

    /** A wake-up and the timer may race here; only one continues. */
    private void resume() {
        synchronized (this) {
            if (timer == null) {
                return;
            }
            timer.cancel();
            timer = null;
            busy = true;
        }
        next.run();
    }

    /** The acquisition is over. A step in progress settles it when it finishes, without parking. */
    public void stop() {
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
        settle.run();
    }

    /** The acquisition ends with the current step. */
    public void finish() {
        synchronized (this) {
            busy = false;
        }
        stop();
    }
}
