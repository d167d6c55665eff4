package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.etcd.EtcdStore;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.zookeeper.ZooKeeperStore;
import io.distlock.test.etcd.EtcdCluster;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;

/** Three servers, one of which leads. Closing it ends them. */
interface Ensemble extends AutoCloseable {

    Application application();

    /** Kills the leader; the others elect another. */
    void killLeader();

    @Override
    void close();

    /** Three etcds. */
    static Ensemble etcd() {
        EtcdCluster servers = EtcdCluster.start();
        return new Ensemble() {

            @Override
            public Application application() {
                return EtcdStore.applicationAt(servers.uris());
            }

            @Override
            public void killLeader() {
                servers.awaitLeader().kill();
            }

            @Override
            public void close() {
                servers.close();
            }
        };
    }

    /** Three servers of ZooKeeper. */
    static Ensemble zooKeeper() {
        ZooKeeperEnsemble servers = ZooKeeperEnsemble.start();
        return new Ensemble() {

            @Override
            public Application application() {
                return ZooKeeperStore.applicationAt(servers.connectString());
            }

            @Override
            public void killLeader() {
                servers.awaitLeader().kill();
            }

            @Override
            public void close() {
                servers.close();
            }
        };
    }
}
