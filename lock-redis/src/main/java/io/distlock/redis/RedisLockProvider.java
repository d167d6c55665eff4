package io.distlock.redis;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.redis.script.DeploymentCalls;
import io.distlock.redis.script.RedisHealth;
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
import io.distlock.support.AcquireLoop;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Locks on one Redis deployment: standalone, Sentinel or Cluster. The lock's key holds {@code owner:token} and is set
 * as the documentation of Redis recommends ({@code SET key value NX PX ttl}). So exclusive locks taken here and those of any
 * other client that follows it, in any language, exclude each other.
 *
 * <p>Exclusion holds while that Redis keeps its data and its clock does not jump forward. After a failover that loses the
 * last write, or a restart without persistence, it can grant a lock that is held. Tokens keep growing even then, unless
 * the server's clock has stepped back. Thread-safe.
 */
public final class RedisLockProvider implements LockProvider {

    private final RedisStore store;
    private final AcquireLoop loop;
    private final LockRuntime runtime;
    private final RedisLockOptions options;
    private final CompletableFuture<Boolean> connected;

    /**
     * Locks on the Redis that the connections lead to. Starts to connect, but does not wait: Redis may be
     * started later.
     *
     * @param runtime shared by all locks of the process; to be closed after this
     * @param connections to be closed after this
     * @param options how locks are kept
     * @throws IllegalArgumentException if the connections lead to a cluster and the options rule it out
     */
    public RedisLockProvider(LockRuntime runtime, RedisConnections connections, RedisLockOptions options) {
        requireSupported(connections.isCluster(), options);
        RedisScripts scripts = RedisScripts.single();
        RedisKeys keys = new RedisKeys(options.keyPrefix(), connections.database());
        DeploymentCalls calls = new DeploymentCalls(
                connections,
                options.callTimeout(),
                options.replicasToAcknowledge(),
                scripts.all(),
                Optional.empty(),
                runtime);
        this.store = new RedisStore(calls, keys, scripts, runtime.ticker());
        this.loop = new AcquireLoop(runtime, store, options.callTimeout());
        this.runtime = runtime;
        this.options = options;
        this.connected = calls.warmUp("spring.data.redis.*", options.connectTimeout());
    }

    private static void requireSupported(boolean cluster, RedisLockOptions options) {
        if (cluster && options.replicasToAcknowledge() > 0) {
            throw new IllegalArgumentException("replicas to acknowledge " + options.replicasToAcknowledge()
                    + " is not possible with Redis Cluster: choose 0, or use a Redis that is not a cluster");
        }
    }

    @Override
    public String name() {
        return "redis";
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
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return loop.acquire(request);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        store.renew(leases, answers);
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        store.renew(List.of(((RedisLease) lease).lasting(timeToLive)), answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        RedisLease ours = (RedisLease) lease;
        CompletionStage<Release> released =
                store.release(ours.mode(), ours.names(), ours.owner(), Optional.of(ours.token()), false, keepFor);
        return ours.afterUnknown().isZero()
                ? released
                : released.thenApply(release -> withdrawEarlierTries(ours, release));
    }

    /** A try cut off before the grant may arrive only now, and take the lock for an owner that is gone. */
    private Release withdrawEarlierTries(RedisLease lease, Release release) {
        // While it is unknown, the engine asks again.
        if (release != Release.UNKNOWN) {
            runtime.reaper()
                    .reap(
                            "An attempt to take '" + lease.key() + "' as " + lease.owner(),
                            lease.afterUnknown().plus(callTimeout()),
                            () -> runtime.timeouts().within(callTimeout(), withdraw(lease)));
        }
        return release;
    }

    private CompletionStage<Release> withdraw(RedisLease lease) {
        return store.withdraw(lease.mode(), lease.key(), lease.owner(), false);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return store.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return store.inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return store.forceRelease(key, token);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return runtime.timeouts()
                .within(callTimeout(), new RedisHealth(store.calls()).check())
                .exceptionally(RedisHealth::down);
    }

    /** Ends all waits and closes the connections made for this provider. */
    @Override
    public void close() {
        loop.close();
        DeploymentCalls.close(List.of(store.calls()), callTimeout());
    }
}
