package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.process.TestFolder;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A ZooKeeper that serves only clients that have authenticated by SASL (DIGEST-MD5). */
class ZooKeeperSaslTests {

    private static final TestFolder FOLDER = TestFolder.create("zookeeper-sasl");

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(options());

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(AutoConfigurations.of(ZooKeeperLockAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.zookeeper.connect-string="
                            + zooKeeper.server().connectString(),
                    "distributed-lock.zookeeper.tick-time=500ms",
                    "distributed-lock.zookeeper.max-session-timeout=5m",
                    "distributed-lock.zookeeper.acl=creator",
                    "distributed-lock.zookeeper.client[zookeeper.sasl.clientconfig]=Shop",
                    "distributed-lock.zookeeper.client[zookeeper.fips-mode]=false");

    private static ZooKeeperServerOptions options() {
        try {
            Path jaas = Files.writeString(FOLDER.path().resolve("jaas.conf"), """
                    Server {
                      org.apache.zookeeper.server.auth.DigestLoginModule required user_shop="secret";
                    };
                    """);
            return ZooKeeperServerOptions.defaults()
                    .withSystemProperty("java.security.auth.login.config", jaas.toString())
                    .with("authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
                    .with("enforce.auth.enabled", "true")
                    .with("enforce.auth.schemes", "sasl")
                    .with("fips-mode", "false");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @BeforeEach
    void logIn() {
        Configuration.setConfiguration(new Login("secret"));
    }

    @AfterEach
    void forget() {
        Configuration.setConfiguration(null);
    }

    @AfterAll
    static void delete() {
        FOLDER.close();
    }

    /** The client's section of a JAAS configuration. */
    private static final class Login extends Configuration {

        private final Map<String, String> user;

        Login(String password) {
            user = Map.of("username", "shop", "password", password);
        }

        @Override
        public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String section) {
            return section.equals("Shop")
                    ? new AppConfigurationEntry[] {
                        new AppConfigurationEntry(
                                DigestLoginModule.class.getName(),
                                AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
                                user)
                    }
                    : null;
        }
    }

    private static LockClient locks(ApplicationContext started) {
        return LockClientBuilder.of(started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                .build();
    }

    @Test
    void locksBelongToTheUser() {
        context.run(started -> {
            try (LockClient locks = locks(started);
                    HeldLock held = locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))) {
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    @Test
    void aWrongPasswordIsDenied() {
        Configuration.setConfiguration(new Login("wrong"));
        context.run(ZooKeeperSaslTests::assertDenied);
    }

    @Test
    void aClientWithoutUserIsDenied() {
        context.withPropertyValues("distributed-lock.zookeeper.client[zookeeper.sasl.clientconfig]=Nobody")
                .run(ZooKeeperSaslTests::assertDenied);
    }

    private static void assertDenied(ApplicationContext started) {
        try (LockClient locks = locks(started)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20))))
                    .withMessageContaining("ZooKeeper denies access")
                    .withMessageContaining("SASL");
        }
    }
}
