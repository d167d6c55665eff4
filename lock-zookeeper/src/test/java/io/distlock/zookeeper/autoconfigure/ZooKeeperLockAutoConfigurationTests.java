package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.distlock.support.LockRuntime;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;

/** Without a server. */
class ZooKeeperLockAutoConfigurationTests {

    private final List<String> called = new ArrayList<>();

    private final class Customizer implements ZooKeeperClientBuilderCustomizer, Ordered {

        private final int order;

        Customizer(int order) {
            this.order = order;
        }

        @Override
        public void customize(CuratorFrameworkFactory.Builder builder) {
            called.add(order + " for " + builder.getEnsembleProvider().getConnectionString());
            builder.zookeeperFactory((servers, timeout, watcher, readOnly) -> mock(ZooKeeper.class));
        }

        @Override
        public int getOrder() {
            return order;
        }
    }

    @Test
    void eachCustomizerIsCalledInItsOrderAfterTheProperties() {
        new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withBean("last", ZooKeeperClientBuilderCustomizer.class, () -> new Customizer(3))
                .withBean("first", ZooKeeperClientBuilderCustomizer.class, () -> new Customizer(1))
                .withBean("second", ZooKeeperClientBuilderCustomizer.class, () -> new Customizer(2))
                .withConfiguration(AutoConfigurations.of(ZooKeeperLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.zookeeper.connect-string=zk-1:2181")
                .run(started ->
                        assertThat(called).containsExactly("1 for zk-1:2181", "2 for zk-1:2181", "3 for zk-1:2181"));
    }
}
