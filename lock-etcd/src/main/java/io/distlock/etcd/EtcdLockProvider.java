package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import io.distlock.support.WarmUp;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks in etcd. Each lock is a queue of keys, first come first served; a free lock takes two transactions. The
 * fencing token is the create revision of the holder's key, so tokens grow across all locks of a cluster.
 *
 * <p>Exclusion holds even if members die, freeze and come back, and if clocks jump, with one exception: a leader that was
 * frozen for longer than a lease may resume and revoke a lease that its successor has extended. As a rule, holders that can be
 * reached are notified before a waiter gets the lock. This is not certain if a newcomer gets it, if readers share the lock,
 * or if a waiter gives up at that moment. Versions before 3.4.31 and 3.5.13 revoke more often; a warning is logged.
 *
 * <p>If a holder's process dies, the next waiter gets the lock within the lease time, the lock-delay and about two and a half
 * seconds. If the lock-delay is longer than a second, it counts twice. If the leader also dies, it takes longer, since a new
 * leader restarts all leases in full.
 *
 * <p>Thread-safe.
 */
public final class EtcdLockProvider implements LockProvider {

    /** How late the answer to a timely request may be. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    // What acquisitions share.
    final LockRuntime runtime;
    final Duration callTimeout;
    final EtcdKeys keys;
    final QueueTransactions transactions;
    final SessionPool sessions;
    final SharedWatches watches;
    final GrantedLocks grantedLocks;

    private final EtcdInspection reader;
    private final EtcdHealth health;
    private final WarmUp warmUp;
    private final CompletableFuture<Boolean> connected;

    /** An uncontended acquisition is never among them, and so costs no bookkeeping. */
    final Set<EtcdAcquisition> waiting = ConcurrentHashMap.newKeySet();

    volatile boolean closed;

    /**
     * Starts to connect, but does not wait: etcd may be started later.
     *
     * @param runtime shared by all locks of the process; close it after this
     * @param connection close it after this
     */
    public EtcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        this.runtime = runtime;
        this.callTimeout = options.callTimeout();
        this.keys = new EtcdKeys(options.keyPrefix());
        this.watches = connection.watches(runtime, callTimeout);
        EtcdCalls calls = connection.calls(runtime.timeouts(), callTimeout, connection.members());
        this.transactions = new QueueTransactions(calls, keys);
        this.sessions = new SessionPool(calls, transactions, runtime);
        this.grantedLocks = new GrantedLocks(transactions, sessions, watches, runtime);
        this.reader = new EtcdInspection(calls, keys);
        this.health =
                new EtcdHealth(calls, keys.root(), connection, callTimeout, sessions, new EtcdHealth.VersionWarning());
        this.warmUp = new WarmUp(connection.name(), runtime.scheduler(), health::ask);
        this.connected = warmUp.start("distributed-lock.etcd.*", connection.connectTimeout());
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public CompletableFuture<Boolean> connected() {
        return connected;
    }

    @Override
    public Duration callTimeout() {
        return callTimeout;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Optional<Grant> same = grantedLocks.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(this, request);
        acquisition.advance();
        return acquisition;
    }

    void enlist(EtcdAcquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.failClosed();
        }
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

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        grantedLocks.onLoss((GrantedLock) lease, lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        grantedLocks.renew(leases, answers);
    }

    /** Up to the lease time with which the lock was acquired, since that is how long its session lasts. */
    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        grantedLocks.extend((GrantedLock) lease, timeToLive, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return grantedLocks.release((GrantedLock) lease, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return reader.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return reader.inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return reader.holder(key, token)
                .thenCompose(place -> place.map(held -> transactions.leave(held, token.value()))
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return health.check();
    }

    /**
     * Ends all waiting, and gives up the sessions without a lock. Takes at most one call timeout. Held locks
     * remain until they expire.
     */
    @Override
    public void close() {
        warmUp.close();
        closed = true;
        waiting.forEach(EtcdAcquisition::failClosed);
        Timeouts.await(sessions.close(callTimeout), callTimeout);
        watches.close();
    }
}
