package io.distlock.spring.client;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a lock held for longer than a threshold, once, with the stack of the call that took it. Since held locks
 * are renewed, only waiters would otherwise notice that a lock is never released. Costs one stack trace per call, or
 * nothing if the threshold is zero. Thread-safe.
 */
public final class LeakDetector {

    private static final Logger log = LoggerFactory.getLogger(LeakDetector.class);

    private final Duration threshold;
    private final LockRuntime runtime;
    private final DueSet<Hold> held;

    private LeakDetector(Duration threshold, LockRuntime runtime) {
        this.threshold = threshold;
        this.runtime = runtime;
        this.held = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::report);
    }

    /** Watches the locks of a client. */
    public static void watch(LockClient client, Duration threshold, LockRuntime runtime) {
        if (!threshold.isZero()) {
            LeakDetector detector = new LeakDetector(threshold, runtime);
            client.addRequestListener(request -> detector.new Hold());
        }
    }

    private void report(List<Hold> tooLong) {
        for (Hold hold : tooLong) {
            held.remove(hold);
            HeldLock lock = hold.lock;
            if (lock != null && lock.isHeld()) {
                log.warn(
                        "The lock {} has been held for more than {} ms by thread '{}', and is still held. The stack"
                                + " trace shows the call that acquired it",
                        lock,
                        threshold.toMillis(),
                        hold.thread,
                        hold.stack);
            }
        }
    }

    /** Carries the stack of the call that took the lock. */
    private static final class TakenHere extends Throwable {

        private static final long serialVersionUID = 1L;
    }

    /** One call and the lock it was granted. Not a record: compared by identity. */
    private final class Hold implements LockListener.OfRequest, DueSet.Due {

        private final Throwable stack = new TakenHere();
        private final String thread = Thread.currentThread().getName();

        // Written before it is added to the set.
        private @Nullable HeldLock lock;
        private long dueNanos;

        @Override
        public void granted(HeldLock granted) {
            lock = granted;
            dueNanos = Deadline.in(threshold, runtime.ticker()).nanos();
            held.add(this);
        }

        @Override
        public long dueNanos() {
            return dueNanos;
        }

        @Override
        public void released(Release outcome) {
            held.remove(this);
        }

        @Override
        public void lost(LockLoss loss) {
            held.remove(this);
        }
    }
}
