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
import io.distlock.spi.RenewalAnswers;
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
 * <p>Exclusion holds for as long as the cluster keeps its word: members may die, freeze and come back, and clocks may
 * leap. A leader that is frozen for longer than a lease and thaws may break its word, and take away a lease that its
 * successor has extended. As a rule, holders who can be reached are notified before a waiter has the lock; not always
 * before one who comes just then, nor where readers share the lock, or one who was ahead in the queue gives up at that
 * moment. Versions before 3.4.31 and 3.5.13 do so more often, which is warned of. One whose process has died is followed by
 * the next within lease time, lock-delay and two and a half seconds or so, by a second lock-delay more if that is longer
 * than a second; and by more if the leader also dies, since a new leader gives all leases their full time again.
 *
 * <p>Thread-safe.
 */
public final class EtcdLockProvider implements LockProvider {

    private final EtcdQueue.Context context;
    private final EtcdQueue queue;
    private final QueueReader reader;
    private final EtcdHealth health;

    /**
     * Locks in the etcd that the connection leads to. Begins to connect, and does not wait for it: etcd may well be started
     * later.
     *
     * @param runtime shared by all locks of the process; to be closed after this
     * @param connection to be closed after this
     * @param options how locks are kept
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
        // Begins to connect, so that the first lock need not wait for it. A later check finds a failure again.
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
    public void renew(Collection<Lease> leases, RenewalAnswers answers) {
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
     * Ends what waits, and gives up the sessions that no lock hangs on; waits for that at most as long as for a call. Locks
     * that are held stay, and run out.
     */
    @Override
    public void close() {
        queue.close();
        try {
            context.sessions().close().get(context.callTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException silent) {
            // What is left runs out.
        }
        context.watches().close();
    }
}
