package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.spi.ProviderStatus;
import io.distlock.test.etcd.EtcdErrorException;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What health tells of etcd. */
class EtcdHealthTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static TestClient client(EtcdServer server) {
        return TestClient.of(server.endpoint(), LocalEtcd.PATIENT, Duration.ofSeconds(30));
    }

    @Test
    void theMembersAndTheLeaderAreNamed() {
        String member = HexFormat.of().toHexDigits(etcd.probe().status().member());
        try (TestClient client = client(etcd.server())) {
            ProviderStatus status = TestClient.get(client.provider.check());
            assertThat(status.state()).isEqualTo(ProviderStatus.State.UP);
            assertThat(status.details()).containsEntry("leader", member).doesNotContainKey("alarms");
            assertThat(status.details().get("members"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .isEqualTo(Map.of(member, "leader, " + etcd.probe().status().version()));
        }
    }

    @Test
    void sessionsAreToldWithTheirAgeAndTheirLastKeepalive() {
        try (TestClient client = client(etcd.server());
                HeldLock held = client.locks.acquire(client.locks.request("health"))) {
            assertThat(held.isHeld()).isTrue();
            String lease = Long.toHexString(etcd.probe().leases().iterator().next());
            assertThat(TestClient.get(client.provider.check()).details().get("sessions"))
                    .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                    .singleElement()
                    .asString()
                    .matches(lease + ": 30 s, \\d+ s old, extended \\d+ s ago");
        }
    }

    @Test
    void anAlarmIsDownSinceEtcdTakesNoWritesThen() {
        try (EtcdServer small = EtcdServer.start(EtcdServerOptions.defaults().withQuota(1 << 20));
                TestClient client = client(small)) {
            fill(small);
            await().atMost(TestClient.PATIENCE)
                    .until(() -> TestClient.get(client.provider.check()).state() == ProviderStatus.State.DOWN);
            assertThat(TestClient.get(client.provider.check()).details().get("alarms"))
                    .asString()
                    .contains("NOSPACE at ");
        }
    }

    private static void fill(EtcdServer server) {
        String block = "x".repeat(100_000);
        await().atMost(TestClient.PATIENCE).until(() -> {
            try {
                server.probe().put("fill", block);
                return false;
            } catch (EtcdErrorException full) {
                return true;
            }
        });
    }
}
