package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.redis.LocalRedis;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.TestClient;
import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.spi.ProviderStatus;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisReplication;
import io.distlock.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

class RedisHealthTests {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private final Logger logger = (Logger) LoggerFactory.getLogger(RedisHealth.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    @Test
    void aServerThatAnswersIsUpAndSaysWhatItIs(RedisServer server) {
        try (TestClient client = TestClient.of(server.endpoint())) {
            ProviderStatus status = TestClient.get(client.provider.check());
            assertThat(status.state()).isEqualTo(ProviderStatus.State.UP);
            assertThat(status.details())
                    .containsEntry("mode", "standalone")
                    .containsEntry("role", "master")
                    .containsEntry("maxmemory-policy", "noeviction")
                    .containsKey("version");
        }
        assertThat(log.list).isEmpty();
    }

    @Test
    void valkeyHasItsOwnVersionAndMode() {
        Info info = new Info(
                "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\nserver_mode:standalone\r\n");
        assertThat(RedisHealth.details(info, new Info("role:master\r\n")))
                .containsOnly(entry("version", "Valkey 8.1.1"), entry("mode", "standalone"), entry("role", "master"));
    }

    @Test
    void aServerThatIsSilentIsDownWithinTheTimeLimit(RedisServer server) {
        try (TestClient client = TestClient.of(server.endpoint(), RedisLockOptions.defaults())) {
            server.freeze();
            ProviderStatus status = TestClient.get(client.provider.check());
            assertThat(status.state()).isEqualTo(ProviderStatus.State.DOWN);
            assertThat(status.details().get("error")).asString().contains("no answer within 1000 ms");
            server.thaw();
        }
    }

    @Test
    void aServerThatIsNotThereIsDown(RedisServer server) {
        server.kill();
        try (TestClient client =
                TestClient.unconnected(LocalRedis.factory(server.endpoint()), RedisLockOptions.defaults())) {
            assertThat(TestClient.get(client.provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
        }
    }

    @Test
    void aServerThatMayEvictLocksIsWarnedOfWithTheCure(RedisServer server) {
        server.probe().command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        try (TestClient client = TestClient.of(server.endpoint())) {
            await().until(() -> !log.list.isEmpty());
            assertThat(log.list).singleElement().satisfies(event -> {
                assertThat(event.getLevel()).isEqualTo(Level.WARN);
                assertThat(event.getFormattedMessage())
                        .contains(
                                "Redis " + server.host() + ":" + server.port() + " evicts keys",
                                "maxmemory-policy is allkeys-lru",
                                "Set maxmemory-policy to noeviction");
            });
            ProviderStatus status = TestClient.get(client.provider.check());
            assertThat(status.state()).isEqualTo(ProviderStatus.State.DEGRADED);
            assertThat(status.details()).containsEntry("maxmemory-policy", "allkeys-lru");
            assertThat(status.details().get("warning")).asString().contains("noeviction");
        }
    }

    @Test
    void aReplicaIsDownSinceItGrantsNoLocks() {
        try (RedisReplication pair = RedisReplication.start();
                TestClient client = TestClient.unconnected(
                        LocalRedis.factory(pair.replica().endpoint()), RedisLockOptions.defaults())) {
            ProviderStatus status = await().atMost(TestClient.PATIENCE)
                    .until(
                            () -> TestClient.get(client.provider.check()),
                            each -> each.details().containsKey("role"));
            assertThat(status.state()).isEqualTo(ProviderStatus.State.DOWN);
            assertThat(status.details()).containsEntry("role", "slave").containsKey("error");
        }
    }

    @Test
    void aServerThatDoesNotTellItsSettingsIsUpWithoutAWarning(RedisServer server) {
        server.probe().command("ACL", "SETUSER", "default", "-config");
        try (TestClient client = TestClient.of(server.endpoint())) {
            assertThat(TestClient.get(client.provider.check()).details()).doesNotContainKey("maxmemory-policy");
        } finally {
            server.probe().command("ACL", "SETUSER", "default", "+config");
        }
        assertThat(log.list).isEmpty();
    }
}
