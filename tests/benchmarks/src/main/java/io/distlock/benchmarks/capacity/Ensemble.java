package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.LockServers;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import io.distlock.test.etcd.EtcdCluster;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import io.distlock.test.zookeeper.ZooKeeperServer;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Several servers that are one store. Closing it ends them.
 *
 * @param applications opens an application of them
 * @param counts begins to count commands
 * @param killLeader the others elect another; absent where nobody leads
 */
record Ensemble(
        Supplier<Application> applications,
        Supplier<CommandCount> counts,
        List<Long> processes,
        Optional<Runnable> killLeader,
        Runnable end)
        implements LockServers {

    /** As many as most have. */
    static final int MEMBERS = 3;

    /** How many servers there are to be, one included; none for a store that has no such form. */
    static List<Integer> sizes(String provider) {
        return switch (provider) {
            case "redis" -> List.of(1, 3, 6);
            case "etcd", "zookeeper" -> List.of(1, MEMBERS);
            default -> List.of();
        };
    }

    /** Whether all of its servers have all data, and one of them leads. */
    static boolean hasLeader(String provider) {
        return List.of("etcd", "zookeeper").contains(provider);
    }

    /** One of which a leader can die, if the store has such a form. */
    static Optional<Ensemble> withLeader(String provider) {
        return hasLeader(provider) ? Optional.of(start(provider, MEMBERS)) : Optional.empty();
    }

    static Ensemble start(String provider, int servers) {
        return switch (provider) {
            case "redis" -> redis(servers);
            case "etcd" -> etcd();
            case "zookeeper" -> zooKeeper();
            default -> throw new IllegalArgumentException(provider + " has no form with several servers");
        };
    }

    private static Ensemble redis(int masters) {
        RedisCluster servers = RedisCluster.start(RedisServerOptions.defaults(), masters);
        List<RedisEndpoint> endpoints =
                servers.nodes().stream().map(RedisServer::endpoint).toList();
        return new Ensemble(
                () -> RedisStore.applicationAt(endpoints),
                () -> RedisStore.count(endpoints),
                servers.nodes().stream().map(RedisServer::pid).toList(),
                Optional.empty(),
                servers::close);
    }

    private static Ensemble etcd() {
        EtcdCluster servers = EtcdCluster.start();
        return new Ensemble(
                () -> EtcdStore.applicationAt(servers.uris()),
                () -> EtcdStore.count(servers::rpcs),
                servers.members().stream().map(EtcdServer::pid).toList(),
                Optional.of(() -> servers.awaitLeader().kill()),
                servers::close);
    }

    private static Ensemble zooKeeper() {
        ZooKeeperEnsemble servers = ZooKeeperEnsemble.start();
        return new Ensemble(
                () -> ZooKeeperStore.applicationAt(servers.connectString()),
                () -> ZooKeeperStore.count(servers.members()),
                servers.members().stream().map(ZooKeeperServer::pid).toList(),
                Optional.of(() -> servers.awaitLeader().kill()),
                servers::close);
    }

    @Override
    public Application application() {
        return applications.get();
    }

    @Override
    public CommandCount countCommands() {
        return counts.get();
    }

    @Override
    public void close() {
        end.run();
    }
}
