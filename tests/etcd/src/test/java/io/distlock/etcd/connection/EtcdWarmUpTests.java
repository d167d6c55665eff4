package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.EtcdServers;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.support.LockRuntime;
import io.distlock.support.WarmUp;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.process.FreePort;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What happens between the start of an application and its first lock. */
@ExtendWith({EtcdExtension.class, OutputCaptureExtension.class})
class EtcdWarmUpTests {

    @Test
    void theFirstCallSendsOnlyItsOwnCommands(EtcdServer server) {
        try (ManualTimeProvider application = new ManualTimeProvider(server.endpoint())) {
            EtcdRpcs before = server.probe().rpcs();
            Grant first = TestClient.get(application.acquire(LockKey.of("orders"), LockOptions.defaults()))
                    .orElseThrow();
            TestClient.get(application.provider.release(first.lease(), Duration.ZERO));
            EtcdRpcs cost = server.probe().rpcs().since(before);
            assertThat(cost.started("LeaseGrant")).isEqualTo(1);
            assertThat(cost.started("Txn")).isEqualTo(2);
            assertThat(cost.total()).isEqualTo(3);
        }
    }

    /** The driver would add two warnings for each call. */
    @Test
    void anAddressWithoutAServerIsOneWarningWithTheCureHoweverManyCallsFail(CapturedOutput output) {
        URI nobody = URI.create("http://127.0.0.1:" + FreePort.next());
        try (Application application = new Application(nobody, EtcdLockOptions.defaults())) {
            await().atMost(TestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(warnings(output)).hasSize(1));
            for (int call = 0; call < 3; call++) {
                assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> application.locks.acquire(
                                application.locks.request("orders").withWaitTime(Duration.ofMillis(300))));
                assertThat(application
                                .provider
                                .check()
                                .toCompletableFuture()
                                .join()
                                .details()
                                .get("error"))
                        .asString()
                        .startsWith("a read failed: UNAVAILABLE");
            }
        }
        assertThat(warnings(output))
                .singleElement()
                .asString()
                .contains(
                        "etcd [" + nobody + "] is not ready for locks: Connection refused",
                        "running, and check distributed-lock.etcd.*");
    }

    @Test
    void aServerThatComesUpLaterIsReportedOnce(EtcdServer server, CapturedOutput output) {
        ((Logger) LoggerFactory.getLogger(WarmUp.class)).setLevel(Level.INFO);
        server.kill();
        try (Application application = new Application(server.uri(), EtcdLockOptions.defaults())) {
            await().atMost(TestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(warnings(output)).hasSize(1));
            server.restart();
            LocalEtcd.awaitUp(application.provider);
            await().atMost(TestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(output).contains("is ready for locks"));
        }
        assertThat(output).containsOnlyOnce("is ready for locks");
        assertThat(warnings(output)).hasSize(1);
    }

    @Test
    void closingInTheMidstOfItLeavesNoThreadAndNoWarning(EtcdServer server, CapturedOutput output) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        server.freeze();
        new Application(server.uri(), EtcdLockOptions.defaults()).close();
        server.thaw();
        await().atMost(TestClient.PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread ->
                                !before.contains(thread) && thread.getName().startsWith("distlock")));
        assertThat(warnings(output)).isEmpty();
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.getAll()
                .lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .toList();
    }

    /** As one that has just started. */
    private static final class Application implements AutoCloseable {

        private final LockRuntime runtime = LockRuntime.start();
        private final EtcdConnection connection;
        private final EtcdLockProvider provider;
        private final LockClient locks;

        Application(URI endpoint, EtcdLockOptions options) {
            connection = EtcdConnection.to(EtcdServers.at(List.of(endpoint)), options);
            provider = new EtcdLockProvider(runtime, connection, options);
            locks = LockClientBuilder.of(provider, runtime)
                    .shutdownTimeout(Duration.ZERO)
                    .build();
        }

        @Override
        public void close() {
            locks.close();
            provider.close();
            connection.close();
            runtime.close();
        }
    }
}
