package io.distlock.zookeeper;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on three servers: clients are connected to followers, too. */
class ZooKeeperEnsembleContractTests extends LockProviderContract {

    private static ZooKeeperEnsemble ensemble;

    @BeforeAll
    static void start() {
        ensemble = ZooKeeperEnsemble.start(LocalZooKeeper.SERVER);
    }

    @AfterAll
    static void stop() {
        ensemble.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return LocalZooKeeper.provider(runtime, ensemble.connectString());
    }

    @Override
    protected StoreTraits traits() {
        return ZooKeeperLockProviderContractTests.TRAITS;
    }
}
