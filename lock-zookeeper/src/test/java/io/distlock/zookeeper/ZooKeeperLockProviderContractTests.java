package io.distlock.zookeeper;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;

class ZooKeeperLockProviderContractTests extends LockProviderContract {

    static final StoreTraits TRAITS = new StoreTraits(true, Duration.ofSeconds(2), Duration.ofSeconds(1))
            .withoutRemainingTime()
            .withToldLosses();

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return LocalZooKeeper.provider(runtime, zooKeeper.server().connectString());
    }

    @Override
    protected StoreTraits traits() {
        return TRAITS;
    }
}
