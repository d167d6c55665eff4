package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.redis.LocalRedis;
import io.distlock.redis.TestClient;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.lettuce.core.output.ArrayOutput;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a node that stands alone is admitted, and what is in the way of it. */
class RestartAdmissionTests {

    private static final Duration QUARANTINE = Duration.ofSeconds(5);

    private final RedisScripts scripts = RedisScripts.single();
    private final LockRuntime runtime = LockRuntime.start();
    private RedisServer server;
    private FaultProxy proxy;
    private RedisConnections connections;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        proxy = FaultProxy.to(server.host(), server.port());
        connections = LocalRedis.connections(server.endpoint().withPort(proxy.port()));
    }

    @AfterEach
    void stop() {
        connections.close();
        proxy.close();
        server.close();
        runtime.close();
    }

    @Test
    void aConnectionThatGoesSilentInTheMiddleIsGivenUpAndTheServerAdmittedByTheNext() {
        AtomicInteger prepared = new AtomicInteger();
        DeploymentCalls calls = calls(
                Duration.ofMillis(200),
                () -> prepared.getAndIncrement() == 0
                        ? new CompletableFuture<>()
                        : CompletableFuture.completedFuture(0L));
        await().atMost(TestClient.PATIENCE).until(() -> !asked(calls).isCompletedExceptionally());
        assertThat(prepared.get()).isGreaterThan(1);
        await().atMost(TestClient.PATIENCE).until(() -> server.probe().clientCount() == 1);
        DeploymentCalls.close(List.of(calls), Duration.ofSeconds(1));
    }

    @Test
    void aServerThatTookThePlaceOfTheOneThatWasAskedIsNotAdmitted() {
        DeploymentCalls calls = calls(Duration.ofSeconds(5), () -> CompletableFuture.completedFuture(0L));
        awaitOldEnough(server);
        calls.warmUp("its settings", TestClient.PATIENCE);
        await().atMost(TestClient.PATIENCE).until(() -> knowsScripts(server));
        server.probe().scriptFlush();
        try (RedisServer successor = RedisServer.start()) {
            // The connection for calls still leads to the first.
            proxy.leadTo(successor.host(), successor.port());
            assertThat(asked(calls))
                    .isCompletedExceptionally()
                    .failsWithin(TestClient.PATIENCE)
                    .withThrowableThat()
                    .withMessageContaining("was just replaced");
            assertThat(knowsScripts(successor)).isFalse();
        }
        DeploymentCalls.close(List.of(calls), Duration.ofSeconds(1));
    }

    /** A machine that boots with a wrong clock makes its servers look old once it has been set. */
    @Test
    void aServerThatSaysItHasBeenUpForLongerThanItCanHaveBeenIsQuarantined() {
        try (RedisServer old = RedisServer.start()) {
            DeploymentCalls calls = calls(Duration.ofSeconds(5), () -> CompletableFuture.completedFuture(0L));
            awaitOldEnough(server);
            awaitOldEnough(old);
            await().atMost(TestClient.PATIENCE).until(() -> !asked(calls).isCompletedExceptionally());
            proxy.leadTo(old.host(), old.port());
            proxy.cut();
            // It was admitted at once if it were believed.
            await().atMost(TestClient.PATIENCE).until(() -> {
                CompletableFuture<?> asked = asked(calls);
                assertThat(knowsScripts(old)).isFalse();
                return asked.handle((reply, failure) -> String.valueOf(failure))
                        .join()
                        .contains("quarantined for another");
            });
            await().atMost(TestClient.PATIENCE).until(() -> !asked(calls).isCompletedExceptionally());
            DeploymentCalls.close(List.of(calls), Duration.ofSeconds(1));
        }
    }

    /** Each call that misses its script asks for it, and many may be made in a second. */
    @Test
    void aRefusedAdmissionIsRepeatedAfterAPause() {
        awaitOldEnough(server);
        AtomicInteger prepared = new AtomicInteger();
        ManualTicker ticker = new ManualTicker();
        try (LockRuntime manual = ManualScheduler.runtime(ticker)) {
            DeploymentCalls calls = calls(
                    Duration.ofSeconds(5),
                    () -> {
                        prepared.incrementAndGet();
                        return CompletableFuture.failedFuture(new RedisCallException("refused on purpose", false));
                    },
                    manual);
            for (int call = 0; call < 20; call++) {
                assertThat(asked(calls)).isCompletedExceptionally();
            }
            assertThat(prepared).hasValue(1);
            ticker.advance(Duration.ofSeconds(1));
            assertThat(asked(calls)).isCompletedExceptionally();
            assertThat(prepared).hasValue(2);
            DeploymentCalls.close(List.of(calls), Duration.ofSeconds(1));
        }
    }

    /** Or a server that takes the place of one that was asked would be admitted in its stead. */
    @Test
    void whatAdmitsAServerGoesToNoOther() {
        try (RedisConnections direct = LocalRedis.connections(server.endpoint())) {
            DeploymentCalls calls =
                    new DeploymentCalls(direct, Duration.ofSeconds(1), 0, List.of(), Optional.empty(), runtime);
            CompletionStage<Long> set = calls.server()
                    .onOneConnection(same -> same.info("server")
                            .thenApplyAsync(info -> {
                                server.restart();
                                return info;
                            })
                            .thenCompose(info -> same.startCounter("key", 0)));
            assertThatThrownBy(() -> TestClient.get(set)).hasMessage("no answer");
            assertThat(server.probe().keys()).isEmpty();
            await().until(() -> server.probe().clientCount() == 0);
            DeploymentCalls.close(List.of(calls), Duration.ofSeconds(1));
        }
    }

    /** As after an update of the library that brings one other script. */
    @Test
    void aServerThatLacksAScriptOfThisClientIsAdmittedAgain() {
        LuaScript added = scripts.inspect().withComment("another version");
        DeploymentCalls earlier = guarded(List.of(scripts.inspect()));
        await().atMost(TestClient.PATIENCE)
                .until(() -> !asked(earlier, scripts.inspect()).isCompletedExceptionally());
        DeploymentCalls updated = guarded(List.of(scripts.inspect(), added));
        await().atMost(TestClient.PATIENCE).until(() -> !asked(updated, added).isCompletedExceptionally());
        DeploymentCalls.close(List.of(earlier, updated), Duration.ofSeconds(1));
    }

    private DeploymentCalls guarded(List<LuaScript> known) {
        return calls(
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                known,
                () -> CompletableFuture.completedFuture(0L),
                runtime);
    }

    private DeploymentCalls calls(
            Duration callTimeout,
            Duration quarantine,
            List<LuaScript> known,
            Supplier<CompletionStage<Long>> ofOthers,
            LockRuntime with) {
        FencingCounter counter = new FencingCounter("The node", "lock:fence", Optional.of(quarantine), ofOthers);
        return new DeploymentCalls(connections, callTimeout, 0, known, Optional.of(counter), with);
    }

    private DeploymentCalls calls(Duration callTimeout, Supplier<CompletionStage<Long>> ofOthers) {
        return calls(callTimeout, ofOthers, runtime);
    }

    private DeploymentCalls calls(Duration callTimeout, Supplier<CompletionStage<Long>> ofOthers, LockRuntime with) {
        return calls(callTimeout, QUARANTINE, scripts.all(), ofOthers, with);
    }

    /** Ended, one way or the other. */
    private CompletableFuture<List<Object>> asked(DeploymentCalls calls) {
        return asked(calls, scripts.inspect());
    }

    private static CompletableFuture<List<Object>> asked(DeploymentCalls calls, LuaScript inspect) {
        RedisKeys.Names names = new RedisKeys("lock", 0).of(LockKey.of("orders"));
        CompletableFuture<List<Object>> answer = calls.run(
                ScriptCall.of(inspect, names.slot(), ArrayOutput::new, List.of(names.lock(), names.readers())));
        await().atMost(TestClient.PATIENCE).until(answer::isDone);
        return answer;
    }

    private boolean knowsScripts(RedisServer asked) {
        return asked.probe()
                        .command("SCRIPT", "EXISTS", scripts.inspect().digest())
                        .items()
                        .get(0)
                        .number()
                == 1;
    }

    private static void awaitOldEnough(RedisServer server) {
        await().atMost(TestClient.PATIENCE)
                .until(() -> Integer.parseInt(server.probe().info("server").get("uptime_in_seconds"))
                        > QUARANTINE.toSeconds() + 1);
    }
}
