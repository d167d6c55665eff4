package io.distlock.zookeeper;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.support.WarmUp;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.curator.framework.CuratorFrameworkFactory;

/**
 * Locks in ZooKeeper. Each lock is a queue of ephemeral nodes, first come first served, laid out as Curator's recipes do it, so
 * that both exclude each other. The fencing token is the transaction that made the holder's node, so tokens grow across all
 * locks of an ensemble.
 *
 * <p>Exclusion holds even if servers die, freeze and come back, and if clocks jump: a lock is believed no longer than its
 * session certainly lasts, see {@link SessionValidity}. If a holder's process dies, the next waiter gets the lock once the
 * session has expired: some four ticks after the lease time and the lock-delay, or a third of them if that is more.
 *
 * <p>Thread-safe.
 */
public final class ZooKeeperLockProvider implements LockProvider {

    private final ZooKeeperLockOptions options;
    private final ZooKeeperClients clients;
    private final ZooKeeperSessions sessions;
    private final ZooKeeperQueues queues;
    private final ZooKeeperInspection inspection;
    private final WarmUp warmUp;
    private final CompletableFuture<Boolean> connected;

    /**
     * Starts to connect, but does not wait: ZooKeeper may be started later.
     *
     * @param runtime shared by all locks of the process; close it after this
     * @param settings servers, credentials, access control and TLS. Namespace, session timeout and retries are ignored: sessions
     *     are as long as locks need them
     * @param options how locks are kept
     */
    public ZooKeeperLockProvider(
            LockRuntime runtime, CuratorFrameworkFactory.Builder settings, ZooKeeperLockOptions options) {
        this.options = options;
        this.clients = new ZooKeeperClients(settings);
        this.sessions = new ZooKeeperSessions(runtime, options, clients);
        this.queues = new ZooKeeperQueues(runtime, options, sessions);
        this.inspection = new ZooKeeperInspection(runtime.ticker(), sessions, queues.paths);
        this.warmUp = new WarmUp("ZooKeeper at " + clients.servers(), runtime.scheduler(), sessions::usual);
        this.connected = warmUp.start("distributed-lock.zookeeper.*", options.connectTimeout());
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public CompletableFuture<Boolean> connected() {
        return connected;
    }

    @Override
    public Duration callTimeout() {
        return options.callTimeout();
    }

    @Override
    public void validate(LockOptions lock) {
        Duration timeToLive = lock.leaseTime().plus(lock.lockDelay());
        Duration needed = options.session(timeToLive);
        if (needed.compareTo(options.longestSession()) > 0) {
            throw new IllegalArgumentException("lease time " + LockOptions.text(lock.leaseTime()) + " and lock-delay "
                    + LockOptions.text(lock.lockDelay()) + " need sessions of " + needed.toMillis()
                    + " ms in ZooKeeper, and its servers allow "
                    + options.longestSession().toMillis()
                    + " ms: shorten the lease, or raise maxSessionTimeout on the servers and"
                    + " distributed-lock.zookeeper.max-session-timeout");
        }
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Optional<Grant> same = queues.leases.again(request);
        if (same.isPresent()) {
            return CompletableFuture.completedFuture(same);
        }
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(queues, request);
        acquisition.advance();
        return acquisition;
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        queues.leases.onLoss((ZooKeeperLease) lease, lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        queues.leases.renew(leases, answers);
    }

    /** Up to the lease time with which the lock was acquired, since that is how long its session lasts. */
    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        queues.leases.extend((ZooKeeperLease) lease, timeToLive, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return queues.leases.release((ZooKeeperLease) lease, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return inspection.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return inspection.inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return inspection.forceRelease(key, token);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return inspection.check(clients.servers());
    }

    /**
     * Ends all waiting, and the sessions without a lock. Takes about one call timeout. Held locks remain until their sessions
     * expire.
     */
    @Override
    public void close() {
        warmUp.close();
        queues.close();
        sessions.close(options.callTimeout());
    }
}
