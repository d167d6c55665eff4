package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What happens between the start of an application and its first lock. */
@ExtendWith(OutputCaptureExtension.class)
class RedlockWarmUpTests {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    /** Asked for who they are, admitted where the guard is on, and with every script. */
    @Test
    void theFirstCallSendsOnlyItsOwnCommands() {
        List<CommandRecorder> recorders = new ArrayList<>();
        nodes.all().forEach(node -> recorders.add(node.probe().record()));
        // Its uptime is trusted to the second.
        nodes.all()
                .forEach(node -> await().until(() ->
                        Integer.parseInt(node.probe().info("server").get("uptime_in_seconds")) > 3));
        try (RedlockTestClient client = RedlockTestClient.unconnected(
                RedlockTestClient.endpoints(nodes),
                RedlockTestClient.PATIENT.withRestartGuard(Duration.ofSeconds(2)))) {
            for (int node = 0; node < recorders.size(); node++) {
                CommandRecorder recorder = recorders.get(node);
                // One question, and each script.
                await().until(() ->
                        recorder.names().stream().filter("SCRIPT"::equals).count() >= 9);
            }
            List<Integer> before =
                    recorders.stream().map(each -> each.names().size()).toList();
            client.locks
                    .acquire(client.locks
                            .request("orders")
                            .withLeaseTime(Duration.ofSeconds(2))
                            .withWaitTime(RedlockTestClient.PATIENCE))
                    .close();
            for (int node = 0; node < recorders.size(); node++) {
                CommandRecorder recorder = recorders.get(node);
                int known = before.get(node);
                // A majority is enough for the caller: the last node may get its commands a moment later.
                await().until(() -> recorder.names().size() > known);
                List<String> names = recorder.names();
                assertThat(names.subList(known, names.size())).allMatch(Set.of("EVALSHA")::contains);
            }
        } finally {
            recorders.forEach(CommandRecorder::close);
        }
    }

    @Test
    void aNodeThatIsDownIsOneWarningWithItsAddress(CapturedOutput output) {
        RedisServer down = nodes.all().get(1);
        down.kill();
        try (RedlockTestClient client =
                RedlockTestClient.unconnected(RedlockTestClient.endpoints(nodes), RedlockTestClient.PATIENT)) {
            await().untilAsserted(() -> assertThat(output).contains("is not ready for locks"));
            client.locks
                    .acquire(client.locks.request("orders").withWaitTime(RedlockTestClient.PATIENCE))
                    .close();
        }
        assertThat(output.getAll().lines().filter(line -> line.contains(" WARN ")))
                .singleElement()
                .asString()
                .contains(
                        "Redis " + down.host() + ":" + down.port() + " is not ready for locks: Connection refused",
                        "running, and check distributed-lock.redlock.*")
                // One has just been acquired.
                .doesNotContain("Locks fail");
    }
}
