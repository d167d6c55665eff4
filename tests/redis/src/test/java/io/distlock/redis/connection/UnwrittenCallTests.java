package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.redis.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A connection that closes right when a call is written to it: by itself, the driver keeps the call for the next one. */
class UnwrittenCallTests {

    private static final Duration TIME_LIMIT = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisExtension alone = RedisExtension.create();

    @RegisterExtension
    static final RedisExtension inCluster =
            RedisExtension.create(RedisServerOptions.defaults().withConfig("cluster-enabled yes"));

    private final AtomicBoolean closesAtNextWrite = new AtomicBoolean();
    private final ClientResources resources = ClientResources.builder()
            .nettyCustomizer(new Closing(closesAtNextWrite))
            .build();

    @AfterEach
    void shutDown() {
        resources.shutdown(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void itIsNotSentOnTheNextConnection() {
        RedisServer server = alone.server();
        assertNotSentLater(server, new RedisStandaloneConfiguration(server.host(), server.port()));
    }

    @Test
    void itIsNotSentOnTheNextConnectionToACluster() {
        RedisServer server = inCluster.server();
        Stream<String> slots = IntStream.range(0, 16_384).mapToObj(String::valueOf);
        server.probe()
                .command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
        await().until(() -> server.probe().command("CLUSTER", "INFO").text().contains("cluster_state:ok"));
        assertNotSentLater(server, new RedisClusterConfiguration(List.of(server.host() + ":" + server.port())));
    }

    private void assertNotSentLater(RedisServer server, RedisConfiguration configuration) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                configuration,
                LettuceClientConfiguration.builder().clientResources(resources).build());
        try (RedisConnections connections = RedisConnections.like(factory, TIME_LIMIT, TIME_LIMIT)) {
            RedisConnection<StatefulConnection<String, String>> link =
                    new RedisConnection<>(connections::connect, Ticker.system(), TIME_LIMIT);
            assertThat(TestClient.get(send(link, "first"))).isEqualTo("OK");

            closesAtNextWrite.set(true);
            RedisCall<String> unwritten = send(link, "unwritten");
            await().atMost(TestClient.PATIENCE)
                    .until(() -> send(link, "next")
                            .handle((ok, failure) -> failure == null)
                            .get());

            assertThat(unwritten).isCompletedExceptionally();
            assertThat(server.probe().get("unwritten")).isEmpty();
            TestClient.get(link.close());
        }
    }

    private static RedisCall<String> send(RedisConnection<StatefulConnection<String, String>> link, String key) {
        RedisCall<String> call = new RedisCall<>(
                CommandType.SET,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey(key).addValue("x"),
                RedisCall.NO_SLOT,
                Ticker.system().nanos());
        link.send(null, call);
        return call;
    }

    private record Closing(AtomicBoolean atNextWrite) implements NettyCustomizer {

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {

                @Override
                public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                    if (atNextWrite.getAndSet(false)) {
                        promise.setFailure(new ClosedChannelException());
                        context.close();
                    } else {
                        context.write(message, promise);
                    }
                }
            });
        }
    }
}
