package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

/** What of the builder's settings reaches the driver. There is no server. */
class ZooKeeperClientsTests {

    private final ZooKeeper client = mock(ZooKeeper.class);
    private final List<Object> made = new ArrayList<>();

    private CuratorFrameworkFactory.Builder settings() {
        return CuratorFrameworkFactory.builder()
                .connectString("zk-1:2181,zk-2:2181/app")
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                    made.addAll(List.of(servers, timeout, readOnly));
                    return client;
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aClientHasTheServersAndTheTimeOfItsSessionAndMayWrite() throws Exception {
        ZooKeeperClients clients = new ZooKeeperClients(settings());
        assertThat(clients.connect(event -> {}, Duration.ofSeconds(12))).isSameAs(client);
        assertThat(made).containsExactly("zk-1:2181,zk-2:2181/app", 12_000, false);
        assertThat(clients.servers()).isEqualTo("zk-1:2181,zk-2:2181/app");
    }

    @Test
    void aClientAuthenticatesByAllThatIsSet() throws Exception {
        CuratorFrameworkFactory.Builder settings = settings()
                .authorization(List.of(
                        new AuthInfo("digest", bytes("shop:secret")), new AuthInfo("digest", bytes("audit:secret"))));
        new ZooKeeperClients(settings).connect(event -> {}, Duration.ofSeconds(12));
        InOrder order = inOrder(client);
        order.verify(client).addAuthInfo("digest", bytes("shop:secret"));
        order.verify(client).addAuthInfo("digest", bytes("audit:secret"));
        order.verifyNoMoreInteractions();
    }

    @Test
    void aPathThatHasNoAccessControlOfItsOwnHasTheUsualOne() {
        ZooKeeperClients clients = new ZooKeeperClients(settings().aclProvider(new ACLProvider() {

            @Override
            public List<ACL> getDefaultAcl() {
                return ZooDefs.Ids.CREATOR_ALL_ACL;
            }

            @Override
            public @Nullable List<ACL> getAclForPath(String path) {
                return path.startsWith("/public") ? ZooDefs.Ids.OPEN_ACL_UNSAFE : null;
            }
        }));
        assertThat(clients.acl("/lock/orders")).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
        assertThat(clients.acl("/public/orders")).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
    }

    @Test
    void withoutServersThereAreNoClients() {
        assertThatNullPointerException()
                .isThrownBy(() -> new ZooKeeperClients(CuratorFrameworkFactory.builder()))
                .withMessageContaining("connect string");
    }

    @Test
    void theDriversOwnSettingsArePassedOn() throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        List<Object> passed = new ArrayList<>();
        CuratorFrameworkFactory.Builder settings = settings().zkClientConfig(config);
        settings.zookeeperFactory(new ZookeeperFactory() {

            @Override
            public ZooKeeper newZooKeeper(String servers, int timeout, Watcher watcher, boolean readOnly) {
                throw new AssertionError("without the settings");
            }

            @Override
            public ZooKeeper newZooKeeper(
                    String servers, int timeout, Watcher watcher, boolean readOnly, ZKClientConfig given) {
                passed.add(given);
                return client;
            }
        });
        new ZooKeeperClients(settings).connect(event -> {}, Duration.ofSeconds(12));
        assertThat(passed).containsExactly(config);
    }
}
