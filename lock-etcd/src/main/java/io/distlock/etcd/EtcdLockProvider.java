package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.client.ServerVersion;
import io.distlock.etcd.watch.Watches;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

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

    private final EtcdQueue queue;
    private final QueueReader reader;
    private final EtcdHealth health;
    private final WarmUp warmUp;

    /**
     * Starts to connect, but does not wait: etcd may be started later.
     *
     * @param runtime shared by all locks of the process; close it after this
     * @param connection close it after this
     */
    public EtcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        Duration callTimeout = options.callTimeout();
        EtcdCalls calls = new EtcdCalls(connection.client(), runtime.timeouts(), callTimeout, connection.members());
        EtcdKeys keys = new EtcdKeys(options.keyPrefix());
        QueueTransactions transactions = new QueueTransactions(calls, keys);
        SessionPool sessions =
                new SessionPool(calls, transactions, runtime, options.session() == EtcdLockOptions.Session.SHARED);
        Watches watches = connection.watches(runtime, callTimeout);
        GrantedLocks grantedLocks = new GrantedLocks(transactions, sessions, watches, runtime);
        this.reader = new QueueReader(calls, keys);
        int members = connection.members();
        this.health = new EtcdHealth(
                calls,
                keys.root(),
                connection.capture(),
                members > 1 ? 2 * members : 1,
                callTimeout,
                sessions,
                new ServerVersion.Warning());
        this.queue = new EtcdQueue(
                runtime,
                keys,
                transactions,
                sessions,
                grantedLocks,
                watches,
                callTimeout,
                ConcurrentHashMap.newKeySet(),
                new AtomicBoolean());
        this.warmUp = new WarmUp(connection.name(), runtime.scheduler(), health::ask);
        warmUp.start("distributed-lock.etcd.*");
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public Duration callTimeout() {
        return queue.callTimeout();
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return queue.acquire(request);
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        queue.grantedLocks().onLoss((GrantedLock) lease, lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        queue.grantedLocks().renew(leases, answers);
    }

    /** Up to the lease time with which the lock was acquired, since that is how long its session lasts. */
    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        queue.grantedLocks().extend((GrantedLock) lease, timeToLive, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return queue.grantedLocks().release((GrantedLock) lease, keepFor);
    }

    Optional<ByteSequence> place(Sequencer grant) {
        return queue.grantedLocks().place(grant);
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
                .thenCompose(place -> place.map(held -> queue.transactions().leave(held, token.value()))
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
        queue.close();
        Timeouts.await(queue.sessions().close(callTimeout()), callTimeout());
        queue.watches().close();
    }
}
