package io.distlock.etcd;

import io.distlock.etcd.watch.SharedWatches;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.WaitingAcquisition;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the acquisitions of a provider share. Thread-safe. */
final class EtcdQueues {

    /** How late the answer to a timely request may be. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    final LockRuntime runtime;
    final Duration callTimeout;
    final QueueTransactions transactions;
    final SessionPool sessions;
    final SharedWatches watches;
    final EtcdLeases leases;

    /** An uncontended acquisition is never among them, and so costs no bookkeeping. */
    private final Set<WaitingAcquisition> waiting = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    EtcdQueues(
            LockRuntime runtime,
            Duration callTimeout,
            QueueTransactions transactions,
            SessionPool sessions,
            SharedWatches watches) {
        this.runtime = runtime;
        this.callTimeout = callTimeout;
        this.transactions = transactions;
        this.sessions = sessions;
        this.watches = watches;
        this.leases = new EtcdLeases(transactions, sessions, watches, runtime);
    }

    void enlist(WaitingAcquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.failClosed();
        }
    }

    void strike(WaitingAcquisition acquisition) {
        waiting.remove(acquisition);
    }

    /** How many wait. */
    int waiting() {
        return waiting.size();
    }

    boolean isClosed() {
        return closed;
    }

    Deadline limit(Duration time) {
        return Deadline.in(time, runtime.ticker());
    }

    /**
     * A wait of zero gets a full round trip; any other ends soon after its deadline, even without an answer. Each call has its own
     * limit, from its turn on.
     */
    Duration answerLimit(LeaseRequest request) {
        Duration remaining = request.deadline().remaining();
        return remaining.isZero() ? callTimeout : remaining.plus(LATE_ANSWER);
    }

    /** Ends all waiting. */
    void close() {
        closed = true;
        waiting.forEach(WaitingAcquisition::failClosed);
    }
}
