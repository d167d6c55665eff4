package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.redis.LocalRedis;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.time.ManualTicker;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class RedisConnectionTests {

    private static final Duration CALL_TIMEOUT = Duration.ofMillis(300);
    private static final Duration DRIVER_TIMEOUT = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private FaultProxy proxy;
    private RedisConnections connections;
    private RedisConnection<StatefulConnection<String, String>> link;

    @BeforeEach
    void prepare() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        connections = LocalRedis.connections(
                redis.server().endpoint().withPort(proxy.port()),
                RedisLockOptions.defaults().withCallTimeout(DRIVER_TIMEOUT).withConnectTimeout(DRIVER_TIMEOUT));
        link = new RedisConnection<>(connections::connect, Ticker.system(), CALL_TIMEOUT);
    }

    @AfterEach
    void close() {
        proxy.thaw();
        link.close();
        connections.close();
        proxy.close();
    }

    @Test
    void connectsWhenItIsFirstNeededAndOnceForAll() {
        assertThat(proxy.connections()).isZero();
        assertThat(link.connect()).isSameAs(link.connect());
        TestClient.get(link.connect());
        assertThat(proxy.connections()).isOne();
    }

    @Test
    void aConnectionThatCannotBeMadeIsTriedAgainWhenItIsNextNeeded() {
        proxy.refuse();
        RedisCall<String> refused = set("a");
        link.send(refused);
        await().atMost(TestClient.PATIENCE).until(refused::isCompletedExceptionally);
        assertThat(failureOf(refused).mayBeApplied()).isFalse();
        proxy.accept();
        await().atMost(TestClient.PATIENCE).until(this::isConnected);
        RedisCall<String> sent = set("b");
        link.send(sent);
        assertThat(TestClient.get(sent)).isEqualTo("OK");
    }

    /** Each try costs the server a handshake, and with a wrong password a line in its log. */
    @Test
    void aConnectionThatCannotBeMadeIsTriedSeldomerAndSeldomer() {
        ManualTicker ticker = new ManualTicker();
        AtomicInteger tries = new AtomicInteger();
        RedisConnection<StatefulConnection<String, String>> hopeless = new RedisConnection<>(
                () -> {
                    tries.incrementAndGet();
                    return CompletableFuture.failedFuture(new IllegalStateException("WRONGPASS on purpose"));
                },
                ticker,
                CALL_TIMEOUT);
        for (int millis = 0; millis < 20_000; millis++) {
            RedisCall<String> call = set("a");
            hopeless.send(call);
            assertThat(call).isCompletedExceptionally();
            ticker.advance(Duration.ofMillis(1));
        }
        assertThat(tries).hasValueBetween(40, 250);
        TestClient.get(hopeless.close());
    }

    private boolean isConnected() {
        CompletableFuture<?> connecting = link.connect();
        await().atMost(TestClient.PATIENCE).until(connecting::isDone);
        return !connecting.isCompletedExceptionally();
    }

    /** Or the driver, which is shut down next, closes it a second time, and warns of that. */
    @Test
    void theCloseTakesInAConnectionThatIsBeingMade() {
        proxy.freeze();
        CompletableFuture<?> connecting = link.connect();
        CompletableFuture<Void> closing = link.close();
        assertThat(connecting).isNotDone();
        assertThat(closing).isNotDone();
        proxy.thaw();
        TestClient.get(closing);
        assertThat(link.connect().join().isOpen()).isFalse();
    }

    @Test
    void aCallThatWaitedTooLongForTheConnectionIsNotSent(RedisProbe probe) {
        proxy.freeze();
        long asked = System.nanoTime();
        RedisCall<String> call = set("late");
        link.send(call);
        await().until(() ->
                System.nanoTime() - asked > CALL_TIMEOUT.multipliedBy(2).toNanos());
        assertThat(call).isNotDone();
        proxy.thaw();
        await().atMost(TestClient.PATIENCE).until(call::isCompletedExceptionally);
        assertThat(failureOf(call).mayBeApplied()).isFalse();
        TestClient.get(link.connect());
        assertThat(probe.get("late")).isEmpty();
    }

    @Test
    void aCallInFlightFailsAtOnceWhenTheConnectionBreaksAndMayHaveBeenApplied() {
        TestClient.get(link.connect());
        proxy.dropReplies();
        RedisCall<String> call = set("a");
        link.send(call);
        await().until(() -> redis.probe().get("a").isPresent());
        assertThat(call).isNotDone();
        proxy.cut();
        // Well before the driver's own time limit.
        await().atMost(DRIVER_TIMEOUT.dividedBy(2)).until(call::isCompletedExceptionally);
        assertThat(failureOf(call).mayBeApplied()).isTrue();
        proxy.pass();
    }

    @Test
    void whatWasInFlightIsNotSentAgainOnTheNextConnection(RedisProbe probe) {
        TestClient.get(link.connect());
        proxy.cutBeforeNextRequest();
        RedisCall<String> call = set("a");
        link.send(call);
        await().atMost(TestClient.PATIENCE).until(call::isCompletedExceptionally);
        await().atMost(TestClient.PATIENCE).until(() -> {
            RedisCall<String> next = set("b");
            link.send(next);
            return next.handle((ok, failure) -> failure == null).get();
        });
        assertThat(probe.keys()).containsExactly("b");
    }

    @Test
    void aCallThatIsRejectedWhileDisconnectedHasDoneNothing() {
        TestClient.get(link.connect());
        proxy.refuse();
        proxy.cut();
        await().atMost(TestClient.PATIENCE).until(() -> {
            RedisCall<String> call = set("a");
            link.send(call);
            await().until(call::isDone);
            return call.isCompletedExceptionally() && !failureOf(call).mayBeApplied();
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aConnectionOnWhichNothingIsAnsweredIsCutSoThatNothingDanglesForEver(CapturedOutput output) {
        try (RedisConnections hasty = LocalRedis.connections(
                redis.server().endpoint().withPort(proxy.port()),
                RedisLockOptions.defaults().withConnectTimeout(DRIVER_TIMEOUT))) {
            var silent = new RedisConnection<>(hasty::connect, Ticker.system(), DRIVER_TIMEOUT);
            await().atMost(TestClient.PATIENCE)
                    .ignoreExceptions()
                    .until(() -> TestClient.get(silent.connect()).isOpen());
            proxy.freeze();
            RedisCall<String> only = set("a");
            silent.send(only);
            await().atMost(TestClient.PATIENCE).until(only::isDone);
            assertThat(failureOf(only).mayBeApplied()).isTrue();
            assertThat(output)
                    .containsPattern(
                            "Redis .*:" + proxy.port() + " has not answered for more than 2000 ms: reconnecting. "
                                    + "The application's own commands, and /actuator/health, wait for 60s: set"
                                    + " spring.data.redis.timeout");
        }
    }

    @Test
    void anErrorOfTheServerHasDoneNothing(RedisProbe probe) {
        probe.command("LPUSH", "list", "x");
        RedisCall<String> call = new RedisCall<>(
                CommandType.GET,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey("list"),
                0);
        link.send(call);
        await().atMost(TestClient.PATIENCE).until(call::isCompletedExceptionally);
        assertThat(failureOf(call).mayBeApplied()).isFalse();
    }

    private static RedisCall<String> set(String key) {
        return new RedisCall<>(
                CommandType.SET,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey(key).addValue("x"),
                Ticker.system().nanos());
    }

    private static RedisCallException failureOf(RedisCall<?> call) {
        return call.handle((ok, failure) -> call.failure("SET", failure)).join();
    }
}
