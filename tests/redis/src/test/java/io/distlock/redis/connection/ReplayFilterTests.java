package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.redis.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A call that is written just as the connection breaks. By itself, the driver keeps it for the next connection, however late
 * that comes. The moment is too short for a test, so these look at what the driver asks in it.
 */
class ReplayFilterTests {

    private static final Duration TIME_LIMIT = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisExtension alone = RedisExtension.create();

    @RegisterExtension
    static final RedisExtension inCluster =
            RedisExtension.create(RedisServerOptions.defaults().withConfig("cluster-enabled yes"));

    @Test
    void theCallFails() {
        RedisServer server = alone.server();
        assertFails(new LettuceConnectionFactory(server.host(), server.port()));
    }

    @Test
    void theCallToAClusterFails() {
        RedisServer server = inCluster.server();
        Stream<String> slots = IntStream.range(0, 16_384).mapToObj(String::valueOf);
        server.probe()
                .command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
        await().until(() -> server.probe().command("CLUSTER", "INFO").text().contains("cluster_state:ok"));
        assertFails(new LettuceConnectionFactory(
                new RedisClusterConfiguration(List.of(server.host() + ":" + server.port()))));
    }

    private static void assertFails(LettuceConnectionFactory factory) {
        try (RedisConnections connections = RedisConnections.like(factory, TIME_LIMIT, TIME_LIMIT)) {
            StatefulConnection<String, String> connection = TestClient.get(connections.connect());
            RedisCall<String> call = new RedisCall<>(
                    CommandType.PING,
                    new StatusOutput<>(StringCodec.UTF8),
                    null,
                    Ticker.system().nanos());
            boolean dropped = ((RedisChannelHandler<?, ?>) connection)
                    .getOptions()
                    .getReplayFilter()
                    .test(call);
            assertThat(dropped).isTrue();
            assertThat(call).isCompletedExceptionally();
        }
    }
}
