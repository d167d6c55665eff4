package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.test.process.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EtcdServerTests {

    // One that stands alone has no rival, but waits for the timeout all the same before it leads.
    private static final EtcdServerOptions QUICK =
            EtcdServerOptions.defaults().withElection(Duration.ofMillis(20), Duration.ofMillis(200));

    @Test
    void closeEndsTheProcess() {
        EtcdServer server = EtcdServer.start();

        server.close();

        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(() -> new Socket(server.host(), server.port()).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void aRestartKeepsThePortAndTheKeys() {
        try (EtcdServer server = EtcdServer.start(QUICK)) {
            int port = server.port();
            long pid = server.pid();
            server.probe().put("key", "value");

            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(server.probe().get("key").map(EtcdEntry::value)).contains("value");
        }
    }

    @Test
    void comesBackAfterItWasStopped() {
        try (EtcdServer server = EtcdServer.start(QUICK)) {
            server.probe().put("key", "value");
            server.stop();
            assertThat(server.isRunning()).isFalse();
            assertThat(server.probe().isHealthy()).isFalse();

            server.restart();

            assertThat(server.probe().keys("")).containsExactly("key");
        }
    }

    @Test
    void aFrozenServerAnswersOnceThawed() {
        try (EtcdServer server = EtcdServer.start(QUICK)) {
            server.freeze();
            assertThat(server.isAwake()).isFalse();
            assertThat(server.probe().isHealthy()).isFalse();

            server.thaw();

            assertThat(server.isAwake()).isTrue();
            server.awaitHealthy();
        }
    }

    @Test
    void asksForAPassword() {
        try (EtcdServer server = EtcdServer.start(QUICK.withPassword("secret"))) {
            EtcdEndpoint endpoint = server.endpoint();
            EtcdProbe anonymous =
                    EtcdProbe.of(new EtcdEndpoint(endpoint.host(), endpoint.port(), Optional.empty(), endpoint.tls()));

            assertThatThrownBy(() -> anonymous.put("key", "value"))
                    .isInstanceOf(EtcdErrorException.class)
                    .hasMessageContaining("user name is empty");
            server.restart();
            server.probe().put("key", "value");
            assertThat(server.probe().keys("")).containsExactly("key");
        }
    }

    @Test
    void speaksTls() {
        try (EtcdServer server = EtcdServer.start(QUICK.withTls())) {
            server.probe().put("key", "value");

            assertThat(server.probe().keys("")).containsExactly("key");
            assertThat(server.uri()).hasScheme("https");
        }
    }

    @Test
    void asksForACertificateAndAPassword() {
        try (EtcdServer server = EtcdServer.start(QUICK.withMutualTls().withPassword("secret"))) {
            EtcdEndpoint endpoint = server.endpoint();
            EtcdProbe unknown = EtcdProbe.of(
                    new EtcdEndpoint(endpoint.host(), endpoint.port(), endpoint.credentials(), EtcdTls.SERVER));

            assertThatThrownBy(() -> unknown.keys("")).isInstanceOf(UncheckedIOException.class);
            server.probe().put("key", "value");
            assertThat(server.probe().keys("")).containsExactly("key");
        }
    }

    @Test
    void refusesWritesPastTheQuota() {
        try (EtcdServer server = EtcdServer.start(QUICK.withQuota(200_000))) {
            String large = "x".repeat(500_000);

            assertThatThrownBy(() -> server.probe().put("key", large))
                    .isInstanceOf(EtcdErrorException.class)
                    .hasMessageContaining("database space exceeded");
        }
    }

    @Test
    void otherPortsAreTriedIfTheFirstAreTaken() {
        try (EtcdServer first = EtcdServer.start(QUICK)) {
            Iterator<Integer> ports = List.of(first.port(), FreePort.next(), FreePort.next(), FreePort.next())
                    .iterator();

            try (EtcdServer second = EtcdFormation.form(QUICK, 1, ports::next).get(0)) {
                assertThat(second.port()).isNotEqualTo(first.port());
                second.probe().put("key", "value");
                assertThat(first.probe().keys("")).isEmpty();
            }
        }
    }

    @Test
    void aBadSettingIsReportedInTheServersWords() {
        EtcdServerOptions options = QUICK.withSetting("election-timeout", "5");

        assertThatThrownBy(() -> EtcdServer.start(options))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exit code 1")
                .hasMessageContaining("election-timeout");
    }
}
