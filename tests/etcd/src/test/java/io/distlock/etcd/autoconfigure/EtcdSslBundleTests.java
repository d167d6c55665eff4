package io.distlock.etcd.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdServerOptions;
import io.distlock.test.process.TestCertificate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** An etcd that speaks TLS, and asks the client for a certificate, too. */
class EtcdSslBundleTests {

    @RegisterExtension
    static final EtcdExtension etcd =
            EtcdExtension.create(EtcdServerOptions.defaults().withMutualTls());

    private static final TestCertificate CERTIFICATE = TestCertificate.shared();
    private static final String TRUST =
            "spring.ssl.bundle.pem.own.truststore.certificate=file:" + CERTIFICATE.certificate();

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, EtcdLockAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.etcd.endpoints=" + etcd.server().uri(), "distributed-lock.etcd.ssl.bundle=own");

    private static LockClient locks(ApplicationContext started) {
        return LockClientBuilder.of(started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                .build();
    }

    private static void assertUnavailable(ApplicationContext started) {
        try (LockClient locks = locks(started)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(locks.request("orders").withWaitTime(Duration.ZERO)));
        }
    }

    @Test
    void trustsAndShowsWhatTheBundleHolds() {
        context.withPropertyValues(
                        TRUST,
                        "spring.ssl.bundle.pem.own.keystore.certificate=file:" + CERTIFICATE.certificate(),
                        "spring.ssl.bundle.pem.own.keystore.private-key=file:" + CERTIFICATE.key())
                .run(started -> {
                    try (LockClient locks = locks(started);
                            HeldLock held =
                                    locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))) {
                        assertThat(held.isHeld()).isTrue();
                        assertThat(etcd.probe().keys("lock/orders/")).hasSize(1);
                    }
                });
    }

    @Test
    void isNotLetInWithoutACertificateOfItsOwn() {
        context.withPropertyValues(TRUST).run(started -> {
            assertUnavailable(started);
            assertThat(etcd.probe().keys("")).isEmpty();
        });
    }

    @Test
    void trustsNoOtherCertificateWithoutTheBundle() {
        context.withPropertyValues(
                        "spring.ssl.bundle.pem.own.keystore.certificate=file:" + CERTIFICATE.certificate(),
                        "spring.ssl.bundle.pem.own.keystore.private-key=file:" + CERTIFICATE.key())
                .run(EtcdSslBundleTests::assertUnavailable);
    }

    @Test
    void saysThatThereIsNoSuchBundle() {
        context.run(started -> assertThat(started.getStartupFailure())
                .rootCause()
                .hasMessageContaining("SSL bundle name 'own' cannot be found"));
    }

    @Test
    void saysThatTheApplicationHasNoBundles() {
        new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withConfiguration(AutoConfigurations.of(EtcdLockAutoConfiguration.class))
                .withPropertyValues(
                        "distributed-lock.etcd.endpoints=" + etcd.server().uri(),
                        "distributed-lock.etcd.ssl.bundle=own")
                .run(started -> assertThat(started.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("define spring.ssl.bundle"));
    }
}
