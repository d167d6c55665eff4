package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.watch.Watches;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Locks in etcd: a queue of keys for each lock, first come first served, by two transactions for a lock that is free. The
 * fencing token is the create revision of the holder's key, so tokens grow over all locks of a cluster.
 *
 * <p>Exclusion holds while members die, freeze and come back, and while clocks leap, with one exception: a leader that is
 * frozen for longer than a lease and thaws may revoke a lease that its successor has extended. As a rule, holders that can be
 * reached are notified before a waiter has the lock; not always before a newcomer has it, nor where readers share the lock,
 * or a waiter gives up at that moment. Versions before 3.4.31 and 3.5.13 do so more often, and are warned about. After a
 * holder's process has died, the next gets the lock within lease time, lock-delay and about two and a half seconds, plus a
 * second lock-delay if that is longer than a second; later if the leader also dies, since a new leader gives all leases their
 * full time again.
 *
 * <p>Thread-safe.
 */
public final class EtcdLockProvider implements LockProvider {

    private final EtcdQueue.Context context;
    private final EtcdQueue queue;
    private final QueueReader reader;
    private final EtcdHealth health;

    /**
     * Begins to connect, and does not wait for it: etcd may be started later.
     *
     * @param runtime shared by all locks of the process; to be closed after this
     * @param connection to be closed after this
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
        this.health = new EtcdHealth(calls, keys, connection.members(callTimeout), sessions);
        this.context = new EtcdQueue.Context(runtime, keys, transactions, sessions, grantedLocks, watches, callTimeout);
        this.queue = new EtcdQueue(context);
        // Begins to connect, so that the first lock need not wait for it.
        health.check();
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public Duration callTimeout() {
        return context.callTimeout();
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return queue.acquire(request);
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        context.grantedLocks().onLoss((EtcdLease) lease, lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        context.grantedLocks().renew(leases, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return context.grantedLocks().release((EtcdLease) lease, keepFor);
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
                .thenCompose(place -> place.map(held -> context.transactions().leave(held, token.value()))
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return health.check();
    }

    /**
     * Ends all waiting, and gives up the sessions that no lock hangs on; takes at most one call timeout. Locks that are held
     * stay, and run out.
     */
    @Override
    public void close() {
        queue.close();
        try {
            Duration limit = context.callTimeout();
            context.sessions().close(limit).get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException silent) {
            // What is left runs out.
        }
        context.watches().close();
    }
}
