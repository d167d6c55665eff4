package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.process.FreePort;
import io.distlock.test.process.TestCertificate;
import io.distlock.test.process.TestFolder;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A ZooKeeper that speaks TLS, and asks the client for a certificate, too. */
class ZooKeeperTlsTests {

    private static final TestCertificate CERTIFICATE = TestCertificate.shared();
    private static final String TRUST =
            "spring.ssl.bundle.pem.own.truststore.certificate=file:" + CERTIFICATE.certificate();
    private static final String OWN_CERTIFICATE =
            "spring.ssl.bundle.pem.own.keystore.certificate=file:" + CERTIFICATE.certificate();
    private static final String OWN_KEY = "spring.ssl.bundle.pem.own.keystore.private-key=file:" + CERTIFICATE.key();

    private static final TestFolder FOLDER = TestFolder.create("zookeeper-tls");
    private static final int PORT = FreePort.next();

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(options());

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.zookeeper.connect-string=127.0.0.1:" + PORT,
                    "distributed-lock.zookeeper.tick-time=500ms",
                    "distributed-lock.zookeeper.max-session-timeout=5m",
                    "distributed-lock.zookeeper.ssl.bundle=own");

    private static ZooKeeperServerOptions options() {
        try {
            String certificate = Files.readString(CERTIFICATE.certificate());
            Path own = Files.writeString(
                    FOLDER.path().resolve("own.pem"), Files.readString(CERTIFICATE.key()) + certificate);
            Path trusted = Files.writeString(FOLDER.path().resolve("trusted.pem"), certificate);
            return ZooKeeperServerOptions.defaults()
                    .with("secureClientPort", String.valueOf(PORT))
                    .with("secureClientPortAddress", "127.0.0.1")
                    .with("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory")
                    .with("ssl.clientAuth", "need")
                    .with("ssl.keyStore.location", own.toString())
                    .with("ssl.trustStore.location", trusted.toString());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @AfterAll
    static void delete() {
        FOLDER.close();
    }

    private static LockClient locks(ApplicationContext started) {
        return LockClientBuilder.of(started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                .build();
    }

    private static void assertUnavailable(ApplicationContext started) {
        try (LockClient locks = locks(started)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(2))));
        }
    }

    @Test
    void trustsAndShowsWhatTheBundleHolds() {
        Path[] store = new Path[1];
        context.withPropertyValues(TRUST, OWN_CERTIFICATE, OWN_KEY).run(started -> {
            try (LockClient locks = locks(started);
                    HeldLock held = locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))) {
                assertThat(held.isHeld()).isTrue();
            }
            store[0] =
                    Path.of(started.getBean(SslStores.class).client().getProperty("zookeeper.ssl.keyStore.location"));
            assertThat(store[0]).exists();
        });
        assertThat(store[0].getParent()).doesNotExist();
    }

    /** Netty's connection is another class of the driver than the usual one. */
    @Test
    void aHeldLockSurvivesALostConnection() {
        context.withPropertyValues(TRUST, OWN_CERTIFICATE, OWN_KEY).run(started -> {
            try (LockClient locks = locks(started);
                    HeldLock held = locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))) {
                zooKeeper.server().restart();
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .until(() -> locks.isCurrent(held.sequencers().get(0)));
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    @Test
    void isNotLetInWithoutACertificateOfItsOwn() {
        context.withPropertyValues(TRUST).run(ZooKeeperTlsTests::assertUnavailable);
    }

    @Test
    void trustsNoOtherCertificateWithoutTheBundle() {
        context.withPropertyValues(OWN_CERTIFICATE, OWN_KEY).run(ZooKeeperTlsTests::assertUnavailable);
    }

    @Test
    void saysThatThereIsNoSuchBundle() {
        context.run(started -> assertThat(started.getStartupFailure())
                .rootCause()
                .hasMessageContaining("SSL bundle name 'own' cannot be found"));
    }
}
