package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.redis.script.DeploymentCalls;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.RedisScripts;
import io.distlock.redis.script.RedisStore;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.AcquireLoop;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Locks on a majority of several independent Redis servers, by the algorithm in the documentation of Redis (Redlock). Adds
 * what that algorithm lacks: fencing tokens that grow from holder to holder, and a guard against servers that have
 * forgotten locks in a restart.
 *
 * <p>Exclusion holds while no more than a minority of the servers is down, and no server's clock jumps forward by
 * most of a lease. A jump of a single clock does no harm once a grant is on all nodes, which takes a few
 * milliseconds if several clients ask at once. A holder that was paused for longer than its lease finds out afterwards
 * that it has lost the lock. A write that is already under way can only be rejected by the resource, by its token. Two
 * readers that ask at the same time may have the same token; a writer never shares one. Thread-safe.
 */
public final class RedlockProvider implements LockProvider {

    private final RedlockNodes nodes;
    private final RedisKeys keys;
    private final AcquireLoop loop;
    private final RedlockOptions options;
    private final CompletableFuture<Boolean> connected;

    /**
     * Locks on the servers that the connections lead to. Starts to connect, but does not wait.
     *
     * @param runtime shared by all locks of the process; to be closed after this
     * @param connections to be closed after this
     * @param options how locks are kept
     */
    public RedlockProvider(LockRuntime runtime, RedlockConnections connections, RedlockOptions options) {
        RunIds runIds = new RunIds();
        List<Integer> databases = connections.nodes().stream()
                .map(node -> node.connections().database())
                .toList();
        this.keys = new RedisKeys(options.keyPrefix(), databases.get(0));
        RedisScripts.Redlock scripts = RedisScripts.Redlock.with(options.restartGuard(), keys, databases);
        Quorum quorum = new Quorum(connections.nodes().size());
        List<RedlockNode> all = new CopyOnWriteArrayList<>();
        OtherCounters others = new OtherCounters(keys.fence(), quorum, runtime.timeouts(), options.callTimeout(), all);
        connections
                .nodes()
                .forEach(server -> all.add(new RedlockNode(server, options, scripts, keys, runIds, others, runtime)));
        this.nodes = new RedlockNodes(all, quorum, runIds, runtime, options.callTimeout());
        this.loop = new AcquireLoop(runtime, request -> new RedlockTries(nodes, request), options.callTimeout());
        this.options = options;
        this.connected = nodes.warmUp(options.connectTimeout());
    }

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public Duration callTimeout() {
        return nodes.callTimeout();
    }

    @Override
    public CompletableFuture<Boolean> connected() {
        return connected;
    }

    @Override
    public double clockDrift() {
        return options.clockDrift();
    }

    @Override
    public void validate(LockOptions options) {
        outlived(options.timeToLive()).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
    }

    private Optional<String> outlived(Duration timeToLive) {
        return options.restartGuard()
                .filter(quarantine -> timeToLive.compareTo(quarantine) > 0)
                .map(quarantine -> "a lock that may be held for " + LockOptions.text(timeToLive)
                        + " would outlast the restart guard's quarantine of " + LockOptions.text(quarantine)
                        + ": lengthen the quarantine, or shorten the lease time and minimum hold time");
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return outlived(request.timeToLive())
                .map(why -> new LockUnavailableException(request.key(), Duration.ZERO, why, null))
                .<CompletableFuture<Optional<Grant>>>map(CompletableFuture::failedFuture)
                .orElseGet(() -> loop.acquire(request));
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        new RedlockRenewal(nodes, leases, RedlockLease::entry, answers).start();
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        Ticker ticker = nodes.runtime().ticker();
        new RedlockRenewal(nodes, List.of(lease), each -> each.extend(timeToLive, ticker), answers).start();
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return ((RedlockLease) lease).release(nodes, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return new RedlockInspection(nodes).isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return new RedlockInspection(nodes).inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return inspect(key)
                .thenCompose(status -> RedisStore.grantee(token, status)
                        .map(holder -> lease(key, token, holder).release(nodes, Duration.ZERO))
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    private RedlockLease lease(LockKey key, FencingToken token, RedisStore.Grantee holder) {
        RedisLease entry = new RedisLease(
                key, holder.mode(), holder.owner(), token, keys.of(key), LockOptions.MAX_LEASE, Duration.ZERO);
        RedlockLease lease = new RedlockLease(holder.owner(), entry);
        // Its holder may be renewing it, and then restores it where the release has come earlier than elsewhere.
        nodes.indexes().forEach(lease::mayComeLateTo);
        return lease;
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return nodes.check();
    }

    /** Ends all waits and closes the connections made for this provider. */
    @Override
    public void close() {
        loop.close();
        DeploymentCalls.close(nodes.all().stream().map(RedlockNode::calls).toList(), nodes.callTimeout());
    }
}
