package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distlock.LockUnavailableException;
import io.distlock.redis.script.LuaScript;
import io.distlock.redis.script.RedisScripts;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.WarmUp;
import io.distlock.test.process.FreePort;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What happens between the start of an application and its first lock. */
@ExtendWith({RedisExtension.class, OutputCaptureExtension.class})
class RedisWarmUpTests {

    @Test
    void theFirstCallSendsOnlyItsOwnCommands(RedisServer server, RedisProbe probe) {
        try (CommandRecorder recorder = probe.record();
                TestClient client = unconnected(server.endpoint())) {
            // Every script, and both connections.
            await().until(() ->
                    recorder.names().stream().filter("SCRIPT"::equals).count() == 6);
            await().until(() -> probe.clientCount() == 2);
            int before = recorder.names().size();
            client.locks.acquire(client.locks.request("orders")).close();
            assertThat(after(before, recorder)).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    @Test
    void theFirstCallThatWaitsSendsOnlyItsOwnCommands(RedisServer server, RedisProbe probe) {
        probe.command("SET", "lock:{orders}", "somebody", "PX", "400");
        try (CommandRecorder recorder = probe.record();
                TestClient client = unconnected(server.endpoint())) {
            await().until(() -> probe.clientCount() == 2
                    && recorder.names().stream().filter("SCRIPT"::equals).count() == 6);
            int before = recorder.names().size();
            client.locks
                    .acquire(client.locks.request("orders").withWaitTime(TestClient.PATIENCE))
                    .close();
            assertThat(after(before, recorder))
                    .isNotEmpty()
                    .allMatch(Set.of("EVALSHA", "SUBSCRIBE", "UNSUBSCRIBE")::contains);
        }
    }

    @Test
    void anAddressWithoutAServerIsOneWarningWithTheCure(RedisServer server, CapturedOutput output) {
        int port = FreePort.next();
        RedisLockOptions options = RedisLockOptions.defaults().withConnectTimeout(Duration.ofMillis(100));
        try (TestClient client =
                TestClient.unconnected(LocalRedis.factory(server.endpoint().withPort(port)), options)) {
            await().untilAsserted(() -> assertThat(warnings(output)).hasSize(1));
            for (int call = 0; call < 3; call++) {
                assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")));
            }
        }
        assertThat(warnings(output))
                .singleElement()
                .asString()
                .contains(
                        "Redis " + server.host() + ":" + port + " is not ready for locks: Connection refused",
                        "running, and check spring.data.redis.*");
    }

    @Test
    void aServerThatComesUpLaterIsReportedOnce(RedisServer server, CapturedOutput output) {
        ((Logger) LoggerFactory.getLogger(WarmUp.class)).setLevel(Level.INFO);
        server.kill();
        try (TestClient client = unconnected(server.endpoint())) {
            await().untilAsserted(() -> assertThat(warnings(output)).hasSize(1));
            server.restart();
            await().untilAsserted(() -> assertThat(output).contains("is ready for locks"));
            client.locks
                    .acquire(client.locks.request("orders").withWaitTime(TestClient.PATIENCE))
                    .close();
        }
        assertThat(output).containsOnlyOnce(server.endpoint().port() + " is ready for locks");
        assertThat(warnings(output)).hasSize(1);
    }

    @Test
    void closingInTheMidstOfItLeavesNoThreadAndNoWarning(RedisServer server, CapturedOutput output) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        server.freeze();
        TestClient.unconnected(LocalRedis.factory(server.endpoint()), RedisLockOptions.defaults())
                .close();
        server.thaw();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(
                        thread -> !before.contains(thread) && thread.getName().startsWith("lettuce")));
        assertThat(warnings(output)).isEmpty();
    }

    @Test
    void eachMasterOfAClusterKnowsTheScripts() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisClusterConfiguration nodes = new RedisClusterConfiguration();
            cluster.nodes().forEach(node -> nodes.addClusterNode(new RedisNode(node.host(), node.port())));
            try (TestClient client = TestClient.unconnected(new LettuceConnectionFactory(nodes), TestClient.PATIENT)) {
                client.awaitUp();
                for (LuaScript script : RedisScripts.single().all()) {
                    await().untilAsserted(() -> assertThat(cluster.nodes())
                            .allSatisfy(node -> assertThat(node.probe()
                                            .command("SCRIPT", "EXISTS", script.digest())
                                            .items())
                                    .hasToString("[Int[number=1]]")));
                }
            }
        }
    }

    @Test
    void aClusterThatIsNotThereIsNamedWithItsNodes(CapturedOutput output) {
        int port = FreePort.next();
        var nodes = new RedisClusterConfiguration(List.of("127.0.0.1:" + port));
        try (TestClient client = TestClient.unconnected(new LettuceConnectionFactory(nodes), TestClient.PATIENT)) {
            await().untilAsserted(() -> assertThat(output)
                    .containsOnlyOnce("Redis Cluster [127.0.0.1:" + port + "] is not ready for locks"));
            assertThat(TestClient.get(client.provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
        }
        assertThat(output).containsOnlyOnce("is not ready for locks");
    }

    @Test
    void aSentinelThatIsNotThereIsNamed(CapturedOutput output) {
        int port = FreePort.next();
        var servers = new RedisSentinelConfiguration().master("master").sentinel("127.0.0.1", port);
        LettuceConnectionFactory factory = new LettuceConnectionFactory(servers);
        try (TestClient client = TestClient.unconnected(factory, TestClient.PATIENT)) {
            await().untilAsserted(() -> assertThat(output)
                    .containsOnlyOnce("Redis Sentinel [127.0.0.1:" + port + "] is not ready for locks"));
            assertThat(TestClient.get(client.provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
        }
        assertThat(output).containsOnlyOnce("is not ready for locks");
    }

    private static TestClient unconnected(RedisEndpoint endpoint) {
        return TestClient.unconnected(LocalRedis.factory(endpoint), TestClient.PATIENT);
    }

    private static List<String> after(int before, CommandRecorder recorder) {
        List<String> names = recorder.names();
        return names.subList(before, names.size());
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.getAll().lines().filter(line -> line.contains(" WARN ")).toList();
    }
}
