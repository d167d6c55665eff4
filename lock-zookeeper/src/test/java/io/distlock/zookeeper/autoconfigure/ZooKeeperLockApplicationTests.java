package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.spi.ProviderStatus;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import io.distlock.zookeeper.ZooKeeperLockProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications with ZooKeeper and nothing else. */
class ZooKeeperLockApplicationTests {

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create();

    private static ConfigurableApplicationContext run(String... properties) {
        List<String> all = new ArrayList<>(Arrays.asList(properties));
        all.add(0, "--distributed-lock.zookeeper.tick-time=500ms");
        if (all.stream().noneMatch(each -> each.contains("connect-string"))) {
            all.add("--distributed-lock.zookeeper.connect-string="
                    + zooKeeper.server().connectString());
        }
        // The server allows more than 20 ticks.
        all.add("--distributed-lock.zookeeper.max-session-timeout=5m");
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    @Test
    void anAnnotatedMethodIsLocked() {
        try (ConfigurableApplicationContext context = run()) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
            assertThat(context.getBean(LockClients.class).primary().provider()).isEqualTo("zookeeper");
        }
    }

    @Test
    void locksMayBeInAChroot() throws Exception {
        String server = zooKeeper.server().connectString();
        try (ConfigurableApplicationContext context =
                        run("--distributed-lock.zookeeper.connect-string=" + server + "/shop");
                CuratorFramework curator = CuratorFrameworkFactory.newClient(server, new RetryOneTime(100))) {
            curator.start();
            assertThat(context.getBean(Orders.class).ship("chroot")).isPositive();
            assertThat(curator.getChildren().forPath("/shop/lock")).contains("ship:chroot");
        }
    }

    @Test
    void nodesMayBeTheirCreatorsAlone() throws Exception {
        try (ConfigurableApplicationContext context = run(
                        "--distributed-lock.key-prefix=private",
                        "--distributed-lock.zookeeper.username=shop",
                        "--distributed-lock.zookeeper.password=secret",
                        "--distributed-lock.zookeeper.acl=creator");
                CuratorFramework curator =
                        CuratorFrameworkFactory.newClient(zooKeeper.server().connectString(), new RetryOneTime(100))) {
            curator.start();
            LockClient client = context.getBean(LockClients.class).primary();
            // Held, since nodes vanish once they are empty.
            try (HeldLock held = client.acquire(client.request("held"))) {
                assertThat(held.isHeld()).isTrue();
                assertThatThrownBy(() -> curator.getChildren().forPath("/private"))
                        .isInstanceOf(KeeperException.NoAuthException.class);
                assertAreTheCreatorsAlone("held");
                // Another application, without the password.
                try (ConfigurableApplicationContext stranger = run("--distributed-lock.key-prefix=private")) {
                    assertThatThrownBy(() -> stranger.getBean(Orders.class).ship("42"))
                            .hasMessageContaining("ZooKeeper denies access")
                            .hasMessageContaining("distributed-lock.zookeeper.username");
                }
            }
            // What keeps it as well.
            client.acquire(client.request("kept").withMinHoldTime(Duration.ofSeconds(20)))
                    .close();
            assertAreTheCreatorsAlone("kept");
        }
    }

    /** As whoever made them sees it. */
    private static void assertAreTheCreatorsAlone(String lock) throws Exception {
        try (CuratorFramework creator = CuratorFrameworkFactory.builder()
                .connectString(zooKeeper.server().connectString())
                .authorization("digest", "shop:secret".getBytes(StandardCharsets.UTF_8))
                .retryPolicy(new RetryOneTime(100))
                .build()) {
            creator.start();
            List<String> names = creator.getChildren().forPath("/private/" + lock);
            assertThat(names).hasSize(1);
            for (String name : names) {
                assertThat(creator.getACL().forPath("/private/" + lock + "/" + name))
                        .extracting(each -> each.getId().getScheme())
                        .containsExactly("digest");
            }
        }
    }

    @Test
    void healthNamesTheServersAndSessions() {
        try (ConfigurableApplicationContext context = run()) {
            context.getBean(Orders.class).ship("42");
            ProviderStatus status = context.getBean(ZooKeeperLockProvider.class)
                    .check()
                    .toCompletableFuture()
                    .join();
            assertThat(status.details())
                    .containsEntry("servers", zooKeeper.server().connectString())
                    .containsEntry("mode", "standalone")
                    .hasEntrySatisfying(
                            "sessions",
                            sessions -> assertThat(sessions).asString().contains("connected, confirmed"));
        }
    }

    @Test
    void aLeaseThatNoSessionCanCarryIsRefusedAtStart() {
        try (ConfigurableApplicationContext context = run()) {
            ZooKeeperLockProvider provider = context.getBean(ZooKeeperLockProvider.class);
            provider.validate(LockOptions.defaults());
            assertThatThrownBy(() -> provider.validate(LockOptions.defaults().withLeaseTime(Duration.ofMinutes(5))))
                    .hasMessageContaining("lease time 5m")
                    .hasMessageContaining("raise maxSessionTimeout");
        }
    }

    @Test
    void aBadPropertyIsNamed() {
        assertThatThrownBy(() -> run("--distributed-lock.zookeeper.call-timeout=1ms"))
                .hasStackTraceContaining("distributed-lock.zookeeper.call-timeout");
        assertThatThrownBy(() -> run("--distributed-lock.zookeeper.acl=creator"))
                .hasStackTraceContaining("distributed-lock.zookeeper.acl")
                .hasStackTraceContaining("username and password");
        assertThatThrownBy(() -> run("--distributed-lock.zookeeper.username=shop"))
                .hasStackTraceContaining("distributed-lock.zookeeper.password is missing");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock(name = "ship", key = "#order", waitTime = "20s", leaseTime = "5s")
        public long ship(String order) {
            return LockContext.current().fencingToken().value();
        }
    }
}
