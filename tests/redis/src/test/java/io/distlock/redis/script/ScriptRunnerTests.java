package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.redis.LocalRedis;
import io.distlock.redis.TestClient;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.connection.RedisConnection;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.time.ManualTicker;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.output.IntegerOutput;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A script that Redis does not know: when it is sent again. */
class ScriptRunnerTests {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);
    private static final LuaScript SCRIPT = LuaScript.named("release-exclusive");

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private final ManualTicker ticker = new ManualTicker();
    private final CompletableFuture<String> admission = new CompletableFuture<>();
    private RedisConnections connections;
    private RedisConnection<StatefulConnection<String, String>> link;
    private CompletableFuture<Long> run;
    private boolean asked;

    @BeforeEach
    void runAScriptThatIsMissing() {
        connections = LocalRedis.connections(redis.server().endpoint());
        link = new RedisConnection<>(connections::connect, Ticker.system(), CALL_TIMEOUT);
        TestClient.get(link.connect());
        ScriptRunner runner = new ScriptRunner(new Admission(), ticker, CALL_TIMEOUT, failure -> {});
        run = runner.run(
                ScriptCall.of(SCRIPT, 0, IntegerOutput::new, List.of("lock:{a}", "lock:{a}:waiting"))
                        .with("owner")
                        .with("")
                        .with(0),
                call -> link.send(call));
        await().atMost(TestClient.PATIENCE).until(() -> asked);
    }

    @AfterEach
    void close() {
        link.close();
        connections.close();
    }

    private final class Admission implements ScriptRunner.Admission {
        @Override
        public CompletionStage<?> admit(LuaScript script, int slot) {
            asked = true;
            return admission;
        }
    }

    @Test
    void itIsSentOnceItHasBeenLoaded(RedisProbe probe) {
        probe.command("SCRIPT", "LOAD", SCRIPT.text());
        ticker.advance(CALL_TIMEOUT);
        admission.complete("loaded");
        assertThat(TestClient.get(run)).isZero();
    }

    @Test
    void itIsNotSentAnyMoreWhenItsCallerHasGivenUp(RedisProbe probe) {
        probe.command("SCRIPT", "LOAD", SCRIPT.text());
        try (CommandRecorder recorder = probe.record()) {
            ticker.advance(CALL_TIMEOUT.plusMillis(1));
            admission.complete("loaded");
            await().atMost(TestClient.PATIENCE).until(run::isDone);
            assertThat(run)
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            RedisCallException.class,
                            failure -> assertThat(failure.mayBeApplied()).isFalse())
                    .withMessage("loading the script took too long");
            assertThat(recorder.names()).isEmpty();
        }
    }
}
