package io.distlock.redis.connection;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Connections to Redis for locks only. They use the servers, credentials and TLS settings of the application's connection
 * factory, but options that suit locks: time limits, and no command is sent late or twice. The
 * application's own connections are neither used nor changed.
 *
 * <p>Connects when first used. Only {@link #close()} blocks. Thread-safe.
 */
public final class RedisConnections implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final PrivateFactory factory;
    private final PrivateFactory factoryForOnce;
    private final ClientResources resources;
    private final Optional<ClientResources> ownResources;

    private RedisConnections(
            LettuceConnectionFactory users,
            Duration callTimeout,
            Duration connectTimeout,
            Optional<ClientResources> shared,
            EventLoopGroupProvider thread) {
        RedisConfiguration servers = servers(users);
        ClientOptions lasting = LettuceOptions.options(clientOptions(users), connectTimeout);
        ClientOptions once = lasting.mutate().autoReconnect(false).build();
        var given = users.getClientConfiguration().getClientResources().or(() -> shared);
        this.ownResources = given.isPresent() ? Optional.empty() : Optional.of(ClientResources.create());
        this.resources = LettuceOptions.resources(
                given.or(() -> ownResources).orElseThrow(),
                thread,
                callTimeout,
                shared.isEmpty() ? adviceTo(users) : "");
        LettuceClientConfiguration client = users.getClientConfiguration();
        this.factory = new PrivateFactory(servers, configuration(client, lasting, resources, callTimeout));
        this.factoryForOnce = new PrivateFactory(servers, configuration(client, once, resources, callTimeout));
        factory.start();
        factoryForOnce.start();
    }

    /**
     * Connections to the Redis that a connection factory connects to, standalone, Sentinel or Cluster.
     *
     * @param users the application's factory, of which only the settings are read
     * @param callTimeout the longest wait for one call
     * @param connectTimeout the longest time to connect
     * @throws IllegalArgumentException if the factory has a fixed list of master and replicas, which cannot serve
     *     subscriptions
     */
    public static RedisConnections like(LettuceConnectionFactory users, Duration callTimeout, Duration connectTimeout) {
        return new RedisConnections(
                users, callTimeout, connectTimeout, Optional.empty(), new DefaultEventLoopGroupProvider(1));
    }

    /**
     * Connections to one of several servers.
     *
     * @param shared used if the factory has no resources of its own; stays open
     * @param thread reads and writes for all servers
     */
    public static RedisConnections like(
            LettuceConnectionFactory users,
            Duration callTimeout,
            Duration connectTimeout,
            ClientResources shared,
            EventLoopGroupProvider thread) {
        return new RedisConnections(users, callTimeout, connectTimeout, Optional.of(shared), thread);
    }

    /** The connections of the application, and Spring Boot's health check on them, have a time limit of their own. */
    private static String adviceTo(LettuceConnectionFactory users) {
        Duration limit = users.getClientConfiguration().getCommandTimeout();
        return limit.compareTo(LONG) < 0
                ? ""
                : ". The application's own commands, and /actuator/health, wait for " + limit.toSeconds()
                        + "s: set spring.data.redis.timeout";
    }

    /** Reads only from the master: locks are read where they are written. */
    private static LettuceClientConfiguration configuration(
            LettuceClientConfiguration users, ClientOptions client, ClientResources resources, Duration callTimeout) {
        var builder = LettuceClientConfiguration.builder()
                .clientOptions(client)
                .clientResources(resources)
                // Also limits the handshake of a connection.
                .commandTimeout(callTimeout)
                .shutdownTimeout(users.getShutdownTimeout())
                .shutdownQuietPeriod(users.getShutdownQuietPeriod());
        users.getClientName().ifPresent(builder::clientName);
        users.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (users.isUseSsl()) {
            var ssl = builder.useSsl().verifyPeer(users.getVerifyMode());
            return (users.isStartTls() ? ssl.startTls() : ssl).build();
        }
        return builder.build();
    }

    private static ClientOptions clientOptions(LettuceConnectionFactory users) {
        ClientOptions options =
                users.getClientConfiguration().getClientOptions().orElseGet(ClientOptions::create);
        // Spring would do this later, and the driver's conversion loses the replay filter.
        return users.isClusterAware() && !(options instanceof ClusterClientOptions)
                ? ClusterClientOptions.builder(options).build()
                : options;
    }

    /** What the factory was made with. Its accessors do not know it if its type was the general one, as of a URI. */
    private static RedisConfiguration servers(LettuceConnectionFactory users) {
        var made = (RedisConfiguration) new DirectFieldAccessor(users).getPropertyValue("configuration");
        if (made instanceof RedisStaticMasterReplicaConfiguration) {
            throw new IllegalArgumentException("locks cannot subscribe to releases through a static list of a master"
                    + " and its replicas: for locks, configure a LettuceConnectionFactory with only the master, or with"
                    + " Sentinel");
        }
        return Objects.requireNonNull(made);
    }

    /** For diagnostics; without an address where the server may change. */
    public String name() {
        return isCluster() || factory.isRedisSentinelAware() ? "Redis" : address();
    }

    /** The servers that are connected to first, for diagnostics. */
    public String address() {
        RedisConfiguration servers = servers(factory);
        if (servers instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return "Redis Cluster " + cluster.getClusterNodes();
        }
        if (servers instanceof RedisConfiguration.SentinelConfiguration sentinel) {
            return "Redis Sentinel " + sentinel.getSentinels();
        }
        return servers instanceof RedisConfiguration.DomainSocketConfiguration file
                ? "Redis " + file.getSocket()
                : "Redis " + factory.getHostName() + ':' + factory.getPort();
    }

    public boolean isCluster() {
        return factory.isClusterAware();
    }

    public int database() {
        return isCluster() ? 0 : factory.getDatabase();
    }

    public CompletionStage<StatefulConnection<String, String>> connect() {
        return factory.connect(StatefulConnection.class);
    }

    /** A connection that ends with the server process; in a cluster, which has many, one that does not. */
    public CompletionStage<StatefulConnection<String, String>> connectForOnce() {
        return isCluster() ? connect() : factoryForOnce.connect(StatefulConnection.class);
    }

    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return factory.connect(StatefulRedisPubSubConnection.class);
    }

    /** Closes all connections; takes as long as the application's settings give the driver to shut down. */
    @Override
    public void close() {
        factoryForOnce.destroy();
        factory.destroy();
        resources.shutdown();
        ownResources.ifPresent(ClientResources::shutdown);
    }

    /** Never a bean, so that Boot's handling of connection factories is undisturbed. */
    private static final class PrivateFactory extends LettuceConnectionFactory {

        PrivateFactory(RedisConfiguration servers, LettuceClientConfiguration client) {
            super(servers, client);
            setShareNativeConnection(false);
        }

        @SuppressWarnings("unchecked") // made with the codec for strings
        <C extends StatefulConnection<String, String>> CompletionStage<C> connect(Class<? super C> type) {
            AbstractRedisClient client = getRequiredNativeClient();
            LettuceConnectionProvider provider = doCreateConnectionProvider(client, StringCodec.UTF8);
            return client instanceof RedisClusterClient cluster
                    // Asks for the topology first: connecting would block for it.
                    ? cluster.refreshPartitionsAsync()
                            .thenCompose(refreshed -> provider.getConnectionAsync((Class<C>) type))
                    : provider.getConnectionAsync((Class<C>) type);
        }
    }
}
