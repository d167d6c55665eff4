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
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the acquisitions of a provider share, and those that wait. Thread-safe.
 *
 * @param waiting an uncontended acquisition is never among them, and so costs no bookkeeping
 */
record EtcdQueue(
        LockRuntime runtime,
        EtcdKeys keys,
        QueueTransactions transactions,
        SessionPool sessions,
        GrantedLocks grantedLocks,
        Watches watches,
        Duration callTimeout,
        Set<EtcdAcquisition> waiting,
        AtomicBoolean closed) {

    /** How late the answer to a timely request may be. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Optional<Grant> same = grantedLocks.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(this, request);
        acquisition.advance();
        return acquisition;
    }

    boolean isClosed() {
        return closed.get();
    }

    void enlist(EtcdAcquisition acquisition) {
        waiting.add(acquisition);
        if (isClosed()) {
            acquisition.failClosed();
        }
    }

    void close() {
        closed.set(true);
        waiting.forEach(EtcdAcquisition::failClosed);
    }

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
