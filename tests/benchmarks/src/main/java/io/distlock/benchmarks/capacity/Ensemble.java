package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import io.distlock.test.etcd.EtcdCluster;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import java.util.function.Supplier;

/**
 * Three servers, one of which leads. Closing it ends them.
 *
 * @param applications opens an application of them
 * @param killLeader the others elect another
 */
record Ensemble(Supplier<Application> applications, Runnable killLeader, Runnable end) implements AutoCloseable {

    static Ensemble etcd() {
        EtcdCluster servers = EtcdCluster.start();
        return new Ensemble(
                () -> EtcdStore.applicationAt(servers.uris()),
                () -> servers.awaitLeader().kill(),
                servers::close);
    }

    static Ensemble zooKeeper() {
        ZooKeeperEnsemble servers = ZooKeeperEnsemble.start();
        return new Ensemble(
                () -> ZooKeeperStore.applicationAt(servers.connectString()),
                () -> servers.awaitLeader().kill(),
                servers::close);
    }

    Application application() {
        return applications.get();
    }

    @Override
    public void close() {
        end.run();
    }
}
