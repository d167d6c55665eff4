package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.support.LockRuntime;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a server that may have forgotten locks from granting any until those would have expired ("delayed restarts" of
 * the Redlock page).
 *
 * <p>Since Redis 7 a loaded script does not survive a restart: its presence proves that a client has admitted the server
 * since it started. A server without the scripts is admitted if this client knew it as admitted (they were flushed), if
 * it has been up for long enough, or once the quarantine since it was first seen is over. Older servers, which keep
 * scripts in snapshots, are refused. Thread-safe.
 */
final class RestartGuard implements ScriptRunner.Admission {

    private static final Logger log = LoggerFactory.getLogger(RestartGuard.class);

    private static final int SCRIPTS_END_WITH_THE_RUN_SINCE = 7;

    /** Consecutive calls of an admission, two of them to connect. */
    private static final int CALLS_TO_ADMIT = 7;

    /** Each call that misses its script asks for an admission, and there may be many per second. */
    private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMillis(250);

    private final ServerCommands server;
    private final List<LuaScript> scripts;
    private final Quarantine quarantine;
    private final LockRuntime runtime;
    private final Duration limit;
    private final Uptimes runs;
    private final AtomicReference<@Nullable CompletableFuture<String>> admission = new AtomicReference<>();
    private volatile String admittedRun = "";
    private volatile String warnedOf = "";

    RestartGuard(
            Quarantine quarantine,
            ServerCommands server,
            List<LuaScript> scripts,
            Duration callTimeout,
            LockRuntime runtime) {
        this.server = server;
        this.scripts = scripts;
        this.quarantine = quarantine;
        this.runtime = runtime;
        this.limit = callTimeout.multipliedBy(CALLS_TO_ADMIT);
        this.runs = new Uptimes(runtime.ticker());
    }

    /** The run of the server; fails if it is too old. */
    private CompletionStage<String> ask(ServerCommands calls) {
        return calls.info("server").thenCompose(info -> {
            if (info.majorVersion() < SCRIPTS_END_WITH_THE_RUN_SINCE) {
                return tooOld(info);
            }
            // The server counts whole seconds: the first one may have been short.
            runs.heardOf(info.runId(), info.uptime().minusSeconds(1));
            return CompletableFuture.completedFuture(info.runId());
        });
    }

    private CompletionStage<String> tooOld(Info info) {
        String why =
                quarantine.server() + " is Redis " + info.field("redis_version").orElse("unknown")
                        + ", and the restart guard needs 7 or newer: upgrade it, or set"
                        + " distributed-lock.redlock.restart-guard.enabled to false if each node writes each command to disk"
                        + " before it answers";
        if (!warnedOf.equals(info.runId())) {
            warnedOf = info.runId();
            log.warn("{}", why);
        }
        return refusal(why);
    }

    @Override
    public void disconnected() {
        runs.disconnected();
    }

    /** Whether the presence of the scripts proves that a client has admitted the server. */
    private CompletionStage<Boolean> isKnownAdmitted() {
        return server.knows(scripts.stream());
    }

    /** All calls that miss their script wait for one answer; a refusal holds for a while. */
    @Override
    public CompletionStage<String> admit(LuaScript script, int slot) {
        CompletableFuture<String> mine = new CompletableFuture<>();
        CompletableFuture<String> earlier = admission.compareAndExchange(null, mine);
        if (earlier != null) {
            return earlier;
        }
        within(limit.multipliedBy(2), ask(server).thenCompose(this::admit)).whenComplete((done, failure) -> {
            if (failure == null) {
                admission.set(null);
                mine.complete(done);
            } else {
                runtime.scheduler().schedule(() -> admission.set(null), PAUSE_AFTER_REFUSAL);
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    /** Otherwise a connection that goes silent midway would keep the server out for good. */
    private <T> CompletionStage<T> within(Duration time, CompletionStage<T> stage) {
        return runtime.timeouts()
                .within(time, stage)
                .exceptionallyCompose(failure -> failure instanceof TimeoutException
                        ? refusal(quarantine.server() + " did not answer the check whether it may grant locks within "
                                + time.toMillis() + " ms")
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<String> admit(String run) {
        Duration left = quarantineLeft(run);
        return left.isZero()
                ? server.onOneConnection(same -> within(limit, ask(same).thenCompose(now -> load(same, run, now))))
                : refusal(quarantine.server() + " was restarted or replaced (run " + run
                        + ") and may have forgotten locks: quarantined for another " + (left.toMillis() + 999) / 1000
                        + " s");
    }

    private Duration quarantineLeft(String run) {
        Duration left =
                run.equals(admittedRun) ? Duration.ZERO : quarantine.time().minus(runs.upFor(run));
        if (left.isZero() || left.isNegative()) {
            return Duration.ZERO;
        }
        if (!run.equals(warnedOf)) {
            warnedOf = run;
            log.warn(
                    "{} is new to this client (run {}) and may have forgotten locks in a restart: quarantined for"
                            + " another {} s. Set distributed-lock.redlock.restart-guard.quarantine ({} s) to the longest"
                            + " lease time plus lock-delay, or minimum hold time, of any lock; switch the guard off only"
                            + " for a server that writes each command to disk before it answers",
                    quarantine.server(),
                    run,
                    left.toSeconds(),
                    quarantine.time().toSeconds());
        }
        return left;
    }

    /** On a connection that ends with the server, so that its successor cannot be admitted in its place. */
    private CompletionStage<String> load(ServerCommands same, String run, String now) {
        if (!now.equals(run)) {
            return refusal(quarantine.server() + " was just replaced");
        }
        boolean flushed = run.equals(admittedRun);
        CompletionStage<?> prepared = flushed
                ? CompletableFuture.completedFuture(run)
                : quarantine.preparation().apply(same);
        return prepared.thenCompose(done -> CompletableFuture.allOf(scripts.stream()
                        .map(script -> same.load(script, 0).toCompletableFuture())
                        .toArray(CompletableFuture[]::new)))
                .thenApply(loaded -> {
                    if (!flushed) {
                        log.info("{} is admitted (run {})", quarantine.server(), run);
                    }
                    admittedRun = run;
                    return run;
                });
    }

    private static <T> CompletionStage<T> refusal(String why) {
        return CompletableFuture.failedFuture(new RedisCallException(why, false));
    }

    /** An expired quarantine is not enough: the preparation may still have to wait. */
    @Override
    public CompletionStage<Duration> quarantineLeft() {
        return ask(server)
                .thenCompose(run -> isKnownAdmitted().thenCompose(known -> {
                    Duration left = known ? Duration.ZERO : quarantineLeft(run);
                    return known || run.equals(admittedRun) || !left.isZero()
                            ? CompletableFuture.completedFuture(left)
                            : admit(scripts.get(0), 0).thenApply(admitted -> left);
                }));
    }

    /** Finds out whether the server is admitted, or admits it. INFO first, or a successor could be mistaken for it. */
    @Override
    public void connected(StatefulConnection<String, String> connection) {
        ask(server)
                .thenCompose(run -> isKnownAdmitted().thenCompose(known -> {
                    if (known) {
                        admittedRun = run;
                    }
                    return known ? CompletableFuture.completedFuture(run) : admit(scripts.get(0), 0);
                }))
                .exceptionally(failure -> {
                    log.debug("The check whether the server is admitted failed", failure);
                    return null;
                });
    }
}
