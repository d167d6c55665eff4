package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCall;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.connection.RedisConnection;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.redis.connection.ReleaseSubscriptions;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import io.distlock.support.WarmUp;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls to one deployment, on separate connections, made when first needed, for scripts and subscriptions. During a
 * failover, two connections may lead to two masters: all that concerns a lock goes through one. Thread-safe.
 */
public final class DeploymentCalls {

    private static final Logger log = LoggerFactory.getLogger(DeploymentCalls.class);

    private final RedisConnections connections;
    private final Duration callTimeout;
    private final RedisConnection<StatefulConnection<String, String>> connection;
    private final RedisConnection<StatefulRedisPubSubConnection<String, String>> pubSubConnection;
    private final ServerCommands server;
    private final ScriptRunner.Admission admission;
    private final ScriptRunner scripts;
    private final int replicas;
    private final ReleaseSubscriptions subscriptions;
    private final AtomicInteger disconnections = new AtomicInteger();
    private final Ticker ticker;
    private final AtomicLong nextCut;
    private final WarmUp warmUp;

    /**
     * @param replicas how many must acknowledge a write before it counts
     * @param known the scripts that are used
     * @param counter what a node of Redlock needs besides
     */
    public DeploymentCalls(
            RedisConnections connections,
            Duration callTimeout,
            int replicas,
            List<LuaScript> known,
            Optional<FencingCounter> counter,
            LockRuntime runtime) {
        this.connections = connections;
        this.callTimeout = callTimeout;
        this.replicas = replicas;
        this.ticker = runtime.ticker();
        this.nextCut = new AtomicLong(ticker.nanos());
        this.connection = connectionBy(this::connect);
        this.pubSubConnection = connectionBy(connections::connectPubSub);
        this.server = new ServerCommands(connection, () -> connectionBy(connections::connectForOnce), ticker);
        Optional<Duration> quarantine = counter.flatMap(FencingCounter::quarantine);
        this.admission = quarantine.isPresent()
                ? new RestartGuard(counter.get(), quarantine.get(), server, known, callTimeout, runtime)
                : new ScriptRunner.OnDemand(server, known, counter);
        this.scripts = new ScriptRunner(admission, ticker, callTimeout, this::leaveReplica);
        this.subscriptions = new ReleaseSubscriptions(pubSubConnection);
        this.warmUp = new WarmUp(
                connections.address(),
                runtime.scheduler(),
                () -> all(ownConnections().map(RedisConnection::connect)));
    }

    private <C extends StatefulConnection<String, String>> RedisConnection<C> connectionBy(
            Supplier<? extends CompletionStage<C>> connector) {
        return new RedisConnection<>(connector, ticker, callTimeout);
    }

    private CompletionStage<StatefulConnection<String, String>> connect() {
        return connections.connect().thenApply(connected -> {
            connected.addListener(new RedisConnectionStateAdapter() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                    admission.disconnected();
                    disconnections.incrementAndGet();
                }

                @Override
                public void onRedisConnected(RedisChannelHandler<?, ?> again, SocketAddress address) {
                    admission.reconnected();
                }
            });
            admission.connected(connected);
            RedisHealth.warnOfEviction(connections.name(), server);
            return connected;
        });
    }

    /**
     * A master that became a replica keeps its connections and refuses writes; new ones may lead to the next master. Not
     * on each refused call: it may stay a replica.
     */
    private void leaveReplica(Throwable failure) {
        long now = ticker.nanos();
        long due = nextCut.get();
        if (String.valueOf(failure.getMessage()).contains("READONLY")
                && now - due >= 0
                && nextCut.compareAndSet(due, now + callTimeout.toNanos())) {
            log.warn(
                    "{} is a replica (READONLY) and cannot take locks: reconnecting to find the master",
                    connections.name());
            ownConnections().forEach(RedisConnection::cut);
        }
    }

    /** How often the connection for calls was lost; the next one may lead to another server. */
    public int disconnections() {
        return disconnections.get();
    }

    /** As {@link WarmUp#start}. */
    public CompletableFuture<Boolean> warmUp(String settings, Duration connectTimeout) {
        return warmUp.start(settings, connectTimeout);
    }

    /** Whether calls are sent or refused at once, without connecting first. */
    public boolean isConnected() {
        return connection.isMade();
    }

    /** Runs a script. */
    public <T> CompletableFuture<T> run(ScriptCall<T> invocation) {
        return scripts.run(invocation, connection::send);
    }

    /**
     * Runs a script that takes or extends locks; fails, as a call that may have been applied, if too few replicas
     * acknowledge it. WAIT covers the writes of its own connection, and holds up what follows.
     */
    <T> CompletableFuture<T> write(ScriptCall<T> invocation, Predicate<T> wrote) {
        if (replicas == 0) {
            return scripts.run(invocation, connection::send);
        }
        AtomicReference<RedisCall<Long>> acknowledged = new AtomicReference<>();
        return scripts.run(invocation, call -> {
                    // Together, or a connection lost in between would make WAIT report on one without writes.
                    RedisCall<Long> wait = newWait().after(call);
                    acknowledged.set(wait);
                    connection.send(wait);
                })
                .thenCompose(reply -> wrote.test(reply)
                        ? acknowledged.get().handle((count, failure) -> enough(reply, count, failure))
                        : CompletableFuture.completedFuture(reply));
    }

    private <T> T enough(T reply, @Nullable Long count, @Nullable Throwable failure) {
        if (count == null) {
            throw new RedisCallException("it is unknown whether enough replicas have the lock: " + failure, true);
        }
        if (count < replicas) {
            throw new RedisCallException(
                    "only " + count + " of " + replicas + " replicas acknowledged the lock in time", true);
        }
        return reply;
    }

    private RedisCall<Long> newWait() {
        // The answer that too few have it must itself arrive in time, even behind another that times out.
        long waitMillis = Math.max(1, callTimeout.toMillis() / 3);
        return RedisCall.withoutKey(
                ticker.nanos(),
                CommandType.WAIT,
                IntegerOutput::new,
                Integer.toString(replicas),
                Long.toString(waitMillis));
    }

    /** Runs a script that releases something and needs only its first key. */
    <T> CompletableFuture<T> release(ScriptCall<T> invocation) {
        CompletableFuture<T> answer = scripts.run(invocation, connection::send);
        return isCluster()
                ? answer.exceptionallyCompose(failure ->
                        isMoving(failure) ? run(invocation.onFirstKey()) : CompletableFuture.failedFuture(failure))
                : answer;
    }

    /** Whether the keys of the slot are moving to another node, which serves single keys and may lack the script. */
    boolean isMoving(@Nullable Throwable failure) {
        return failure != null && isCluster() && RedisCallException.of(failure).isOfMovingKeys();
    }

    boolean isCluster() {
        return connections.isCluster();
    }

    /** As {@link ScriptRunner.Admission#quarantineLeft()}. */
    public CompletionStage<Duration> quarantineLeft() {
        return admission.quarantineLeft();
    }

    public ServerCommands server() {
        return server;
    }

    ReleaseSubscriptions subscriptions() {
        return subscriptions;
    }

    /** Waits for calls under way, then for the connections to close, or the driver would warn; at most for two calls. */
    public static void close(List<DeploymentCalls> all, Duration callTimeout) {
        Timeouts.await(all(all.stream().map(DeploymentCalls::drained)), callTimeout);
        Timeouts.await(all(all.stream().map(DeploymentCalls::disconnect)), callTimeout);
    }

    private CompletableFuture<Void> drained() {
        return connection.isMade() ? scripts.drained() : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> disconnect() {
        warmUp.close();
        admission.close();
        return all(ownConnections().map(RedisConnection::close));
    }

    private Stream<RedisConnection<?>> ownConnections() {
        return Stream.of(connection, pubSubConnection);
    }

    private static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> stages) {
        return CompletableFuture.allOf(stages.toArray(CompletableFuture<?>[]::new));
    }
}
