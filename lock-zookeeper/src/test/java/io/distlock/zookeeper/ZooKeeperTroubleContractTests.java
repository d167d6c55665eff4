package io.distlock.zookeeper;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class ZooKeeperTroubleContractTests extends StoreTroubleContract {

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    static FaultProxy proxy;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.to("127.0.0.1", zooKeeper.server().port());
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return LocalZooKeeper.provider(runtime, proxy.host() + ":" + proxy.port());
    }

    @Override
    protected LockProvider createUntroubledProvider(LockRuntime runtime) {
        return LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
    }

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {

            @Override
            public void freeze() {
                proxy.freeze();
            }

            @Override
            public void thaw() {
                proxy.thaw();
            }

            @Override
            public void cut() {
                proxy.cut();
            }

            @Override
            public void disconnect() {
                proxy.refuse();
                proxy.cut();
            }

            @Override
            public void reconnect() {
                proxy.accept();
            }
        };
    }

    @Override
    protected StoreTraits traits() {
        return ZooKeeperLockProviderContractTests.TRAITS;
    }
}
