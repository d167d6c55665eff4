package io.distlock.etcd;

import io.distlock.etcd.watch.Watches;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The acquisitions that wait. Thread-safe. */
final class EtcdQueue {

    private final Context context;
    private final Set<EtcdAcquisition> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    EtcdQueue(Context context) {
        this.context = context;
    }

    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Optional<Grant> same = context.grantedLocks().again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(this, context, request);
        acquisition.advance();
        return acquisition;
    }

    boolean isClosed() {
        return closed;
    }

    /** Only for acquisitions that have to wait: an uncontended one costs no bookkeeping. */
    void enlist(EtcdAcquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.failClosed();
        }
    }

    void delist(EtcdAcquisition acquisition) {
        waiting.remove(acquisition);
    }

    /** Fails all waiting and later acquisitions. */
    void close() {
        closed = true;
        waiting.forEach(acquisition -> acquisition.failClosed());
    }

    /** What acquisitions share. */
    record Context(
            LockRuntime runtime,
            EtcdKeys keys,
            QueueTransactions transactions,
            SessionPool sessions,
            GrantedLocks grantedLocks,
            Watches watches,
            Duration callTimeout) {

        /** How late the answer to a timely request may be. */
        private static final Duration LATE_ANSWER = Duration.ofMillis(100);

        Deadline limit(Duration time) {
            return Deadline.in(time, runtime.ticker());
        }

        /** A wait of zero gets a full round trip; any other ends soon after its deadline, even without an answer. */
        Duration answerLimit(LeaseRequest request) {
            Duration remaining = request.deadline().remaining();
            return remaining.isZero() ? callTimeout : shorter(remaining.plus(LATE_ANSWER), callTimeout);
        }

        static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }
    }
}
