package io.distlock.etcd;

import io.distlock.support.LockScheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether an acquisition is busy with a step or parked until it is woken or its time is up, and whether all is over.
 * The caller that finds it parked takes the turn, and works on it alone. Thread-safe.
 */
final class Turn {

    private final LockScheduler scheduler;
    private final Runnable onTurn;
    private boolean busy = true;
    private boolean woken;
    private boolean settled;
    private LockScheduler.@Nullable Scheduled timer;

    /**
     * @param onTurn the next step, after it was parked
     */
    Turn(LockScheduler scheduler, Runnable onTurn) {
        this.scheduler = scheduler;
        this.onTurn = onTurn;
    }

    /** Before it looks: what is deleted from here on may have gone after the answer. */
    synchronized void looks() {
        woken = false;
    }

    /** False if it was woken since it looked: the turn goes on. */
    synchronized boolean park(Duration pause) {
        if (woken) {
            return false;
        }
        timer = scheduler.schedule(this::take, pause);
        busy = false;
        return true;
    }

    void wake() {
        synchronized (this) {
            woken = true;
        }
        take();
    }

    /** The next step, if it is parked. */
    void take() {
        synchronized (this) {
            if (timer == null) {
                return;
            }
            timer.cancel();
            timer = null;
            busy = true;
        }
        onTurn.run();
    }

    /** The last step is over. */
    synchronized void ends() {
        busy = false;
    }

    /** True once, when no step is under way; nothing happens afterwards. */
    synchronized boolean settles() {
        if (busy || settled) {
            return false;
        }
        settled = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        return true;
    }
}
