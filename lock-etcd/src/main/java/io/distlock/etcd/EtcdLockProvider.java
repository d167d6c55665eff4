package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import io.distlock.support.WarmUp;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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

    private final Duration callTimeout;
    final EtcdQueues queues;
    private final EtcdInspection reader;
    private final EtcdHealth health;
    private final WarmUp warmUp;
    private final CompletableFuture<Boolean> connected;

    /**
     * Starts to connect, but does not wait: etcd may be started later.
     *
     * @param runtime shared by all locks of the process; close it after this
     * @param connection close it after this
     */
    public EtcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        this.callTimeout = options.callTimeout();
        EtcdKeys keys = new EtcdKeys(options.keyPrefix());
        SharedWatches watches = connection.watches(runtime, callTimeout);
        EtcdCalls calls = connection.calls(runtime.timeouts(), callTimeout, connection.members());
        QueueTransactions transactions = new QueueTransactions(calls, keys);
        SessionPool sessions = new SessionPool(calls, transactions, runtime);
        this.queues = new EtcdQueues(runtime, callTimeout, transactions, sessions, watches);
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
        Optional<Grant> same = queues.leases.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        EtcdAcquisition acquisition = new EtcdAcquisition(queues, request);
        acquisition.advance();
        return acquisition;
    }

    /** The key of a grant that is held here. */
    Optional<ByteSequence> place(Sequencer grant) {
        return queues.leases.place(grant);
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        queues.leases.onLoss((EtcdLease) lease, lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        queues.leases.renew(leases, answers);
    }

    /** Up to the lease time with which the lock was acquired, since that is how long its session lasts. */
    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        queues.leases.extend((EtcdLease) lease, timeToLive, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return queues.leases.release((EtcdLease) lease, keepFor);
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
                .thenCompose(place -> place.map(held -> queues.transactions.leave(held, token.value()))
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
        queues.close();
        Timeouts.await(queues.sessions.close(callTimeout), callTimeout);
        queues.watches.close();
    }
}
