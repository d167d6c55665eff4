package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.support.LockRuntime;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a server that may have forgotten locks from granting any until those would have expired ("delayed restarts" of
 * the Redlock page).
 *
 * <p>Since Redis 7 a loaded script neither survives a restart nor reaches replicas: its presence proves that a client
 * has admitted the server since it started. A server without the scripts is admitted if this client knew it as admitted
 * (they were flushed), if it has been up for long enough, where that is trusted, or once the quarantine since it was
 * first seen is over. Where presence proves nothing (before Redis 7, and on a server that may have been a replica in
 * between), each script checks that it still runs in the {@link ServerIncarnation} that was admitted. Thread-safe.
 */
final class RestartGuard implements ScriptRunner.Admission {

    private static final Logger log = LoggerFactory.getLogger(RestartGuard.class);

    /** Consecutive calls of an admission, two of them to connect. */
    private static final int CALLS_TO_ADMIT = 7;

    /** Each call that misses its script asks for an admission, and there may be many per second. */
    private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMillis(250);

    private final ServerCommands server;
    private final List<LuaScript> scripts;
    private final RestartGuardOptions options;
    private final LockRuntime runtime;
    private final Duration limit;
    private final ServerIncarnation.Uptimes runs;
    private final AtomicReference<@Nullable CompletableFuture<String>> admission = new AtomicReference<>();
    private volatile @Nullable Binding admitted;
    private volatile @Nullable ServerIncarnation warnedOf;

    /** The server as admitted, and its scripts, keyed by the digests of the plain ones. */
    private record Binding(ServerIncarnation incarnation, Map<String, LuaScript> forms) {}

    RestartGuard(
            RestartGuardOptions options,
            ServerCommands server,
            List<LuaScript> scripts,
            Duration callTimeout,
            LockRuntime runtime) {
        this.server = server;
        this.scripts = scripts;
        this.options = options;
        this.runtime = runtime;
        this.limit = callTimeout.multipliedBy(CALLS_TO_ADMIT);
        this.runs = new ServerIncarnation.Uptimes(runtime.ticker());
    }

    @Override
    public <T> ScriptCall<T> bound(ScriptCall<T> invocation) {
        Binding binding = admitted;
        if (binding == null) {
            return invocation;
        }
        LuaScript form = binding.forms().get(invocation.script().digest());
        return binding.incarnation().bind(invocation, Objects.requireNonNull(form));
    }

    private CompletionStage<Info> ask(ServerCommands calls) {
        // The replication history is in a separate section from the rest.
        return calls.info(options.standsAlone() ? "server" : "default").thenApply(info -> {
            // The server counts whole seconds: the first one may have been short.
            Duration up = options.standsAlone() && !info.uptime().isZero()
                    ? info.uptime().minusSeconds(1)
                    : Duration.ZERO;
            runs.heardOf(incarnation(info), up);
            return info;
        });
    }

    @Override
    public void disconnected() {
        runs.disconnected();
    }

    private ServerIncarnation incarnation(Info info) {
        return ServerIncarnation.of(info, options.standsAlone());
    }

    private boolean isAdmitted(ServerIncarnation incarnation) {
        Binding binding = admitted;
        return binding != null && binding.incarnation().equals(incarnation);
    }

    /** Whether the presence of the scripts proves that a client has admitted the server. */
    private CompletionStage<Boolean> isKnownAdmitted(ServerIncarnation incarnation) {
        return incarnation.old()
                ? CompletableFuture.completedFuture(false)
                : server.knows(scripts.stream().map(incarnation::form));
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
                mine.complete(options.server());
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
                        ? refusal(options.server() + " did not answer the check whether it may grant locks within "
                                + time.toMillis() + " ms")
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<String> admit(Info info) {
        ServerIncarnation incarnation = incarnation(info);
        if (options.standsAlone()) {
            return admit(incarnation);
        }
        if (incarnation.old()) {
            return refusal("the restart guard needs Redis 7 or newer, but the server is "
                    + info.field("redis_version").orElse("unknown"));
        }
        if (info.field("role").filter("slave"::equals).isPresent()) {
            return refusal(options.server() + " is a replica (READONLY) and cannot grant locks");
        }
        if (info.field("master_replid").isEmpty()) {
            return refusal("the restart guard needs the master_replid of the server, but INFO does not report it");
        }
        return isKnownAdmitted(incarnation).thenCompose(known -> known ? admitted(incarnation) : admit(incarnation));
    }

    private CompletionStage<String> admit(ServerIncarnation incarnation) {
        Duration left = quarantineLeft(incarnation);
        return left.isZero()
                ? server.onOneConnection(same ->
                        within(limit, ask(same).thenCompose(now -> load(same, incarnation, now))))
                : refusal(options.server() + " was restarted or replaced (run " + incarnation.run()
                        + ") and may have forgotten locks: quarantined for another " + (left.toMillis() + 999) / 1000
                        + " s");
    }

    private Duration quarantineLeft(ServerIncarnation incarnation) {
        Duration left = isAdmitted(incarnation) ? Duration.ZERO : options.time().minus(runs.upFor(incarnation));
        if (left.isZero() || left.isNegative()) {
            return Duration.ZERO;
        }
        if (!incarnation.equals(warnedOf)) {
            warnedOf = incarnation;
            log.warn(
                    "{} is new to this client (run {}) and may have forgotten locks in a restart: quarantined for"
                            + " another {} s. Set {} ({} s) to the longest lease time plus lock-delay, or minimum"
                            + " hold time, of any lock; switch the guard off only for a server that writes each"
                            + " command to disk before it answers",
                    options.server(),
                    incarnation.run(),
                    left.toSeconds(),
                    options.standsAlone()
                            ? "distributed-lock.redlock.restart-guard.quarantine"
                            : "distributed-lock.redis.restart-guard.quarantine",
                    options.time().toSeconds());
        }
        return left;
    }

    /** On a connection that ends with the server, so that its successor cannot be admitted in its place. */
    private CompletionStage<String> load(ServerCommands same, ServerIncarnation incarnation, Info now) {
        if (!incarnation(now).equals(incarnation)) {
            return refusal(options.server() + " was just replaced");
        }
        boolean flushed = isAdmitted(incarnation);
        CompletionStage<?> prepared = flushed
                ? CompletableFuture.completedFuture(options.server())
                : options.preparation().apply(same);
        return prepared.thenCompose(done -> CompletableFuture.allOf(scripts.stream()
                        .map(incarnation::form)
                        .map(script -> same.load(script, 0).toCompletableFuture())
                        .toArray(CompletableFuture[]::new)))
                .thenCompose(loaded -> {
                    if (!flushed) {
                        log.info("{} is admitted (run {})", options.server(), incarnation.run());
                    }
                    return admitted(incarnation);
                });
    }

    private CompletionStage<String> admitted(ServerIncarnation incarnation) {
        Binding before = admitted;
        if (incarnation.old() && (before == null || !before.incarnation().old())) {
            log.warn(
                    "{} is older than Redis 7 and may keep scripts across a restart: each script checks the run_id,"
                            + " which makes locks slower, and each client quarantines a restarted server itself",
                    options.server());
        }
        admitted = new Binding(
                incarnation, scripts.stream().collect(Collectors.toMap(LuaScript::digest, incarnation::form)));
        return CompletableFuture.completedFuture(options.server());
    }

    private static <T> CompletionStage<T> refusal(String why) {
        return CompletableFuture.failedFuture(new RedisCallException(why, false));
    }

    /** An expired quarantine is not enough: the preparation may still have to wait. */
    @Override
    public CompletionStage<Duration> quarantineLeft() {
        return ask(server)
                .thenApply(this::incarnation)
                .thenCompose(incarnation -> isKnownAdmitted(incarnation).thenCompose(known -> {
                    Duration left = known ? Duration.ZERO : quarantineLeft(incarnation);
                    return known || isAdmitted(incarnation) || !left.isZero()
                            ? CompletableFuture.completedFuture(left)
                            : admit(scripts.get(0), 0).thenApply(admitted -> left);
                }));
    }

    /** Finds out whether the server is admitted, or admits it. INFO first, or a successor could be mistaken for it. */
    @Override
    public void connected(StatefulConnection<String, String> connection) {
        ask(server)
                .thenApply(this::incarnation)
                .thenCompose(incarnation -> isKnownAdmitted(incarnation)
                        .thenCompose(known -> known ? admitted(incarnation) : admit(scripts.get(0), 0)))
                .exceptionally(failure -> {
                    log.debug("The check whether the server is admitted failed", failure);
                    return null;
                });
    }
}
