package io.distlock.chaos.client;

import com.zaxxer.hikari.HikariConfig;
import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.EtcdServers;
import io.distlock.jdbc.JdbcLockConnections;
import io.distlock.jdbc.JdbcLockOptions;
import io.distlock.jdbc.JdbcLockProvider;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.leader.LeaderListener;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import io.distlock.zookeeper.ZooKeeperLockOptions;
import io.distlock.zookeeper.ZooKeeperLockProvider;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** One application's access to a store, as the starter would wire it. Thread-safe. */
public final class Access implements AutoCloseable {

    /** The limit of one call to the store, in all campaigns. */
    public static final Duration CALL_TIMEOUT = Duration.ofMillis(500);

    /** How long the first calls of a process wait for its connection: the default of all providers but ZooKeeper. */
    public static final Duration CONNECT_TIMEOUT = RedisLockOptions.defaults().connectTimeout();

    private final LockRuntime runtime;
    private final LockProvider provider;
    private final LockClient locks;
    private final Runnable afterwards;

    private Access(Function<LockRuntime, LockProvider> provider, Runnable afterwards) {
        this.runtime = LockRuntime.start();
        this.provider = provider.apply(runtime);
        this.locks = LockClientBuilder.of(this.provider, runtime).build();
        this.afterwards = afterwards;
    }

    /**
     * Opens one.
     *
     * @param address {@code redis host:port}; {@code redlock quarantineMillis host:port ...}; {@code etcd uri ...}; {@code
     *     zookeeper tickMillis connectString}; {@code jdbc url user}
     */
    public static Access to(List<String> address) {
        List<String> rest = address.subList(1, address.size());
        return switch (address.get(0)) {
            case "redis" -> redis(rest.get(0));
            case "redlock" -> redlock(Duration.ofMillis(Long.parseLong(rest.get(0))), rest.subList(1, rest.size()));
            case "etcd" -> etcd(rest.stream().map(URI::create).toList());
            case "zookeeper" -> zooKeeper(Duration.ofMillis(Long.parseLong(rest.get(0))), rest.get(1));
            case "jdbc" -> jdbc(rest.get(0), rest.get(1));
            default -> throw new IllegalArgumentException("no provider is called " + address.get(0));
        };
    }

    private static Access redis(String node) {
        RedisLockOptions options = RedisLockOptions.defaults().withCallTimeout(CALL_TIMEOUT);
        RedisConnections connections =
                RedisConnections.like(factory(node), options.callTimeout(), options.connectTimeout());
        return new Access(runtime -> new RedisLockProvider(runtime, connections, options), connections::close);
    }

    private static Access redlock(Duration quarantine, List<String> nodes) {
        RedlockOptions options =
                RedlockOptions.defaults().withCallTimeout(CALL_TIMEOUT).withRestartGuard(quarantine);
        RedlockConnections connections =
                RedlockConnections.to(nodes.stream().map(Access::factory).toList(), options);
        return new Access(runtime -> new RedlockProvider(runtime, connections, options), connections::close);
    }

    /** Never started: only its settings are read. */
    private static LettuceConnectionFactory factory(String node) {
        List<String> parts = Arrays.asList(node.split(":", -1));
        return new LettuceConnectionFactory(parts.get(0), Integer.parseInt(parts.get(1)));
    }

    private static Access etcd(List<URI> members) {
        EtcdLockOptions options = EtcdLockOptions.defaults().withCallTimeout(CALL_TIMEOUT);
        EtcdConnection connection = EtcdConnection.to(EtcdServers.at(members), options);
        return new Access(runtime -> new EtcdLockProvider(runtime, connection, options), connection::close);
    }

    private static Access zooKeeper(Duration tick, String connectString) {
        ZooKeeperLockOptions options = ZooKeeperLockOptions.defaults()
                .withCallTimeout(CALL_TIMEOUT)
                .withConnectTimeout(CONNECT_TIMEOUT)
                .withTickTime(tick)
                .withLongestSession(ZooKeeperServerOptions.defaults().longestSession());
        CuratorFrameworkFactory.Builder servers =
                CuratorFrameworkFactory.builder().connectString(connectString);
        return new Access(runtime -> new ZooKeeperLockProvider(runtime, servers, options), () -> {});
    }

    private static Access jdbc(String url, String user) {
        JdbcLockOptions options = JdbcLockOptions.defaults().withCallTimeout(CALL_TIMEOUT);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword("");
        JdbcLockConnections connections = JdbcLockConnections.like(config, options);
        return new Access(runtime -> new JdbcLockProvider(runtime, connections, options), connections::close);
    }

    /** An election for a role, which does not stand yet. Close it first. */
    LeaderElection election(String role, Duration lease, LeaderListener listener) {
        return LeaderElectionBuilder.of(locks, runtime, role)
                .leaseTime(lease)
                .listener(listener)
                .build();
    }

    /** The client that its code would use. */
    public LockClient locks() {
        return locks;
    }

    @Override
    public void close() {
        locks.close();
        provider.close();
        afterwards.run();
        runtime.close();
    }
}
