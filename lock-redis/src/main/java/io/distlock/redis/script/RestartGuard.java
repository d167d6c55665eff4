package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.spi.Deadline;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler.Scheduled;
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
 * since it started. The {@link FencingCounter}, without which the scripts grant nothing, shows that the server still has
 * what it was admitted with. A server that has the counter, and was admitted, at most gets scripts that it lacks. Any
 * other is quarantined: from its start, if that is trusted, or since the loss of its counter was first seen. Then it
 * gets its counter and the scripts, unasked: an idle application may need its vote next. Older servers, which keep
 * scripts in snapshots, are refused. Thread-safe.
 */
final class RestartGuard implements ScriptRunner.Admission {

    private static final Logger log = LoggerFactory.getLogger(RestartGuard.class);

    private static final int SCRIPTS_END_WITH_THE_RUN_SINCE = 7;

    /** Consecutive calls of an admission, two of them to connect. */
    private static final int CALLS_TO_ADMIT = 9;

    /** Each call that misses its script asks for an admission, and there may be many per second. */
    private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMillis(250);

    /** Until it is tried without a call, if it failed for another reason than the quarantine. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);

    private final ServerCommands server;
    private final List<LuaScript> scripts;
    private final FencingCounter counter;
    private final Duration quarantine;
    private final LockRuntime runtime;
    private final Duration limit;
    private final Uptimes runs;
    private final AtomicReference<@Nullable CompletableFuture<String>> admission = new AtomicReference<>();
    private final AtomicReference<@Nullable Scheduled> nextTry = new AtomicReference<>();
    private volatile Duration nextTryIn = PAUSE_AFTER_FAILURE;
    private volatile boolean closed;
    private volatile String admittedRun = "";
    private volatile String warnedOf = "";
    /** Until when the server is quarantined because it has lost its counter. */
    private volatile @Nullable Deadline sinceLoss;

    RestartGuard(
            FencingCounter counter,
            Duration quarantine,
            ServerCommands server,
            List<LuaScript> scripts,
            Duration callTimeout,
            LockRuntime runtime) {
        this.server = server;
        this.scripts = scripts;
        this.counter = counter;
        this.quarantine = quarantine;
        this.runtime = runtime;
        this.limit = callTimeout.multipliedBy(CALLS_TO_ADMIT);
        this.runs = new Uptimes(runtime.ticker());
    }

    /**
     * What a server has said of itself.
     *
     * @param admitted whether it has any of the scripts
     * @param complete whether it has all of them
     * @param counts whether it has its counter
     */
    private record State(String run, boolean admitted, boolean complete, boolean counts) {}

    /** INFO first, or a successor could be mistaken for the server. Fails if it is too old. */
    private CompletionStage<State> ask(ServerCommands calls) {
        return calls.info("server")
                .thenCompose(info -> info.majorVersion() < SCRIPTS_END_WITH_THE_RUN_SINCE
                        ? tooOld(info)
                        : calls.knows(scripts)
                                .thenCombine(
                                        calls.counter(counter.key()),
                                        (known, count) -> heard(
                                                info,
                                                new State(
                                                        info.runId(),
                                                        known.contains(true),
                                                        !known.contains(false),
                                                        count.isPresent()))));
    }

    private CompletionStage<State> tooOld(Info info) {
        String why = counter.node() + " is Redis " + info.field("redis_version").orElse("unknown")
                + ", and the restart guard needs 7 or newer: upgrade it, or set"
                + " distributed-lock.redlock.restart-guard.enabled to false if each node writes each command to disk"
                + " before it answers";
        if (!warnedOf.equals(info.runId())) {
            warnedOf = info.runId();
            log.warn("{}", why);
        }
        return refusal(why);
    }

    private synchronized State heard(Info info, State state) {
        // The server counts whole seconds: the first one may have been short.
        runs.heardOf(state.run(), info.uptime().minusSeconds(1));
        if (!hasLostCounter(state)) {
            sinceLoss = null;
        } else if (sinceLoss == null) {
            sinceLoss = Deadline.in(quarantine, runtime.ticker());
        }
        return state;
    }

    private boolean wasAdmitted(State state) {
        return state.admitted() || state.run().equals(admittedRun);
    }

    /** By FLUSHALL, DEL or eviction: it runs on, but may have forgotten locks also. */
    private boolean hasLostCounter(State state) {
        return wasAdmitted(state) && !state.counts();
    }

    @Override
    public void disconnected() {
        runs.disconnected();
    }

    /** All calls that miss their script wait for one answer; a refusal holds for a while. */
    @Override
    public CompletionStage<String> admit(LuaScript script, int slot) {
        return admit();
    }

    private CompletionStage<String> admit() {
        CompletableFuture<String> mine = new CompletableFuture<>();
        CompletableFuture<String> earlier = admission.compareAndExchange(null, mine);
        if (earlier != null) {
            return earlier;
        }
        nextTryIn = PAUSE_AFTER_FAILURE;
        within(limit.multipliedBy(2), ask(server).thenCompose(this::admit)).whenComplete((run, failure) -> {
            if (failure == null) {
                admission.set(null);
                mine.complete(run);
            } else {
                log.debug("{} is not admitted", counter.node(), failure);
                runtime.scheduler().schedule(() -> admission.set(null), PAUSE_AFTER_REFUSAL);
                tryAgainLater();
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    private void tryAgainLater() {
        Scheduled next = closed ? null : runtime.scheduler().schedule(this::admit, nextTryIn);
        Scheduled before = nextTry.getAndSet(next);
        if (before != null) {
            before.cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        tryAgainLater();
    }

    /** Otherwise a connection that goes silent midway would keep the server out for good. */
    private <T> CompletionStage<T> within(Duration time, CompletionStage<T> stage) {
        return runtime.timeouts()
                .within(time, stage)
                .exceptionallyCompose(failure -> failure instanceof TimeoutException
                        ? refusal(counter.node() + " did not answer the check whether it may grant locks within "
                                + time.toMillis() + " ms")
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<String> admit(State state) {
        if (state.complete() && state.counts()) {
            admittedRun = state.run();
            return CompletableFuture.completedFuture(state.run());
        }
        Duration left = quarantineLeft(state);
        if (left.isZero()) {
            return server.onOneConnection(same ->
                    within(limit, ask(same).thenCompose(now -> prepare(same, state.run(), now))));
        }
        return refusal(state, left);
    }

    private <T> CompletionStage<T> refusal(State state, Duration left) {
        nextTryIn = left;
        return refusal(counter.node()
                + (hasLostCounter(state)
                        ? " has lost its fencing counter"
                        : " was restarted or replaced (run " + state.run() + ')')
                + " and may have forgotten locks: quarantined for another " + (left.toMillis() + 999) / 1000 + " s");
    }

    private Duration quarantineLeft(State state) {
        if (wasAdmitted(state) && state.counts()) {
            return Duration.ZERO;
        }
        Deadline loss = sinceLoss;
        Duration left = loss != null ? loss.remaining() : quarantine.minus(runs.upFor(state.run()));
        if (left.isZero() || left.isNegative()) {
            return Duration.ZERO;
        }
        warnOnce(state, left);
        return left;
    }

    private void warnOnce(State state, Duration left) {
        String warned = state.run() + hasLostCounter(state);
        if (!warned.equals(warnedOf)) {
            warnedOf = warned;
            log.warn(
                    "{} {}: quarantined for another {} s. Set distributed-lock.redlock.restart-guard.quarantine ({} s) to"
                            + " the longest lease time plus lock-delay, or minimum hold time, of any lock; switch the guard"
                            + " off only for a server that writes each command to disk before it answers",
                    counter.node(),
                    hasLostCounter(state)
                            ? "has lost its fencing counter (FLUSHALL, DEL or eviction) and may have forgotten locks"
                            : "is new to this client (run " + state.run()
                                    + ") and may have forgotten locks in a restart",
                    left.toSeconds(),
                    quarantine.toSeconds());
        }
    }

    /** On a connection that ends with the server, so that its successor cannot be admitted in its place. */
    private CompletionStage<String> prepare(ServerCommands same, String run, State now) {
        if (!now.run().equals(run)) {
            return refusal(counter.node() + " was just replaced");
        }
        Duration left = quarantineLeft(now);
        if (!left.isZero()) {
            return refusal(now, left);
        }
        // Nothing was lost if it was admitted and counts: its scripts were flushed, or an update has brought new ones.
        boolean counts = wasAdmitted(now) && now.counts();
        CompletionStage<?> counting = counts
                ? CompletableFuture.completedFuture(run)
                : counter.ofOthers().get().thenCompose(largest -> same.startCounter(counter.key(), largest));
        return counting.thenCompose(done -> CompletableFuture.allOf(scripts.stream()
                        .map(script -> same.load(script, 0).toCompletableFuture())
                        .toArray(CompletableFuture[]::new)))
                .thenApply(loaded -> {
                    if (!counts) {
                        log.info("{} is admitted (run {})", counter.node(), run);
                    }
                    admittedRun = run;
                    sinceLoss = null;
                    return run;
                });
    }

    private static <T> CompletionStage<T> refusal(String why) {
        return CompletableFuture.failedFuture(new RedisCallException(why, false));
    }

    /** An expired quarantine is not enough: too few of the other nodes may answer. */
    @Override
    public CompletionStage<Duration> quarantineLeft() {
        return ask(server).thenCompose(state -> {
            Duration left = quarantineLeft(state);
            if (!left.isZero()) {
                nextTryIn = left;
                tryAgainLater();
            }
            return left.isZero() && !(state.complete() && state.counts())
                    ? admit().thenApply(admitted -> left)
                    : CompletableFuture.completedFuture(left);
        });
    }

    @Override
    public void connected(StatefulConnection<String, String> connection) {
        admit();
    }

    @Override
    public void reconnected() {
        admit();
    }
}
