package io.distlock.zookeeper;

import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import java.time.Duration;
import org.apache.curator.framework.CuratorFrameworkFactory;

/** Providers for servers on this machine. */
final class LocalZooKeeper {

    static final ZooKeeperServerOptions SERVER = ZooKeeperServerOptions.defaults();

    static final ZooKeeperLockOptions OPTIONS = ZooKeeperLockOptions.defaults()
            .withCallTimeout(Duration.ofSeconds(1))
            .withConnectTimeout(Duration.ofSeconds(20))
            .withTickTime(SERVER.tickTime())
            .withLongestSession(SERVER.longestSession());

    private LocalZooKeeper() {}

    static ZooKeeperLockProvider provider(LockRuntime runtime, String connectString) {
        return provider(runtime, connectString, OPTIONS);
    }

    static ZooKeeperLockProvider provider(LockRuntime runtime, String connectString, ZooKeeperLockOptions options) {
        return new ZooKeeperLockProvider(
                runtime, CuratorFrameworkFactory.builder().connectString(connectString), options);
    }
}
