package io.distlock.redis;

import io.distlock.LockOptions;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.Attempt;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a server that may have forgotten locks from granting any until those would have expired ("delayed restarts" of
 * the Redlock page, without configuration on the server).
 *
 * <p>Since Redis 7 a loaded script neither survives a restart nor reaches replicas, so that the scripts are there is
 * the server's proof that somebody admitted it since it started. A server without them is admitted if it runs still as
 * when this client knew it admitted (its scripts were flushed); if it has been up for long enough, where that is
 * trusted; or once the quarantine since it was first seen is over. Before Redis 7 each client admits a server for itself,
 * and each script looks whether it still runs in the process that was admitted. Thread-safe.
 */
final class RestartGuard implements ScriptAdmission {

    private static final Logger log = LoggerFactory.getLogger(RestartGuard.class);
    private static final int SCRIPTS_STAY_LOCAL_SINCE = 7;

    private final String name;
    private final ServerCalls server;
    private final List<LuaScript> scripts;
    private final Map<String, LuaScript> boundToRun = new HashMap<>();
    private final String fenceBase;
    private final Duration quarantine;
    private final boolean standsAlone;
    private final Ticker ticker;
    private final ConcurrentHashMap<String, Moment> firstSeen = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<?>> admission = new AtomicReference<>();
    private volatile @Nullable String admittedRun;
    private volatile boolean bindsToRun;

    /**
     * @param name of the server, for people
     * @param scripts the first one is asked for
     * @param fenceBase key of the least fencing token
     * @param standsAlone whether nothing but a restart can replace it: then one that has been up for longer than the
     *     quarantine has forgotten nothing. Not so a replica that was promoted
     */
    RestartGuard(
            String name,
            ServerCalls server,
            List<LuaScript> scripts,
            String fenceBase,
            Duration quarantine,
            boolean standsAlone,
            Ticker ticker) {
        this.name = name;
        this.server = server;
        this.scripts = List.copyOf(scripts);
        this.fenceBase = fenceBase;
        this.quarantine = quarantine;
        this.standsAlone = standsAlone;
        this.ticker = ticker;
        scripts.forEach(script -> boundToRun.put(script.digest(), script.after("only-in-run")));
    }

    @Override
    public <T> Invocation<T> bound(Invocation<T> invocation) {
        String run = admittedRun;
        return bindsToRun && run != null ? invocation.of(boundToRun(invocation.script()), run) : invocation;
    }

    private LuaScript boundToRun(LuaScript script) {
        return Objects.requireNonNull(boundToRun.get(script.digest()));
    }

    /** All who find their script missing wait for the same answer. */
    @Override
    public CompletionStage<?> admit(LuaScript script, int slot) {
        CompletableFuture<Object> mine = new CompletableFuture<>();
        CompletableFuture<?> earlier = admission.compareAndExchange(null, mine);
        if (earlier != null) {
            return earlier;
        }
        server.info("server").thenCompose(this::admit).whenComplete((done, failure) -> {
            admission.set(null);
            if (failure == null) {
                mine.complete(name);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    private CompletionStage<?> admit(ServerInfo info) {
        if (isOld(info) && !standsAlone) {
            return refusal("the restart guard needs Redis 7, and this is "
                    + info.field("redis_version").orElse("unknown"));
        }
        String run = info.runId();
        Duration left = quarantineLeft(info);
        if (left.isZero()) {
            return server.onOneConnection(same -> same.info("server").thenCompose(now -> load(same, run, now)));
        }
        return refusal(
                name + " was restarted or replaced (run " + run + ") and may have forgotten locks: quarantined for"
                        + " another " + (left.toMillis() + 999) / 1000 + " s");
    }

    private static boolean isOld(ServerInfo info) {
        return info.majorVersion() < SCRIPTS_STAY_LOCAL_SINCE;
    }

    private Duration quarantineLeft(ServerInfo info) {
        String run = info.runId();
        if (run.equals(admittedRun)) {
            return Duration.ZERO;
        }
        // The server counts how often the second hand has moved: the first of these seconds may have been short.
        Duration up = standsAlone ? info.uptime().minusSeconds(1) : Duration.ZERO;
        Moment first = firstSeen.computeIfAbsent(run, unknown -> {
            if (up.compareTo(quarantine) < 0) {
                log.warn(
                        "{} is new to this client (run {}): it grants no locks for another {} s, because it may have been"
                                + " restarted and have forgotten some. Set the restart guard's quarantine ({} s) to the"
                                + " longest lease time and lock-delay of any lock; switch the guard off only for a"
                                + " server that writes each command to disk before it answers",
                        name,
                        run,
                        quarantine.minus(up).toSeconds(),
                        quarantine.toSeconds());
            }
            return ticker.now();
        });
        Duration known = Duration.ofNanos(ticker.nanos() - first.nanos());
        Duration left = quarantine.minus(known.compareTo(up) > 0 ? known : up);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** On a connection that ends if the server is replaced, so that its successor cannot be admitted in its place. */
    private CompletionStage<?> load(ServerCalls same, String run, ServerInfo now) {
        if (!now.runId().equals(run)) {
            return refusal(name + " was replaced just now");
        }
        boolean old = isOld(now);
        boolean flushed = run.equals(admittedRun);
        CompletionStage<?> based = flushed ? CompletableFuture.completedFuture(run) : setBase(same);
        return based.thenCompose(set -> CompletableFuture.allOf(scripts.stream()
                        .map(script -> old ? boundToRun(script) : script)
                        .map(script -> same.load(script, 0).toCompletableFuture())
                        .toArray(CompletableFuture[]::new)))
                .thenAccept(loaded -> {
                    if (!flushed) {
                        log.info("{} is admitted (run {})", name, run);
                    }
                    admitted(run, old);
                });
    }

    private CompletionStage<?> setBase(ServerCalls same) {
        return same.timeMicros().thenCompose(micros -> same.set(fenceBase, Long.toString(micros)));
    }

    private void admitted(String run, boolean old) {
        if (old && !bindsToRun) {
            log.warn(
                    "{} is older than Redis 7, where scripts can outlive a restart: each of them asks for the run_id,"
                            + " which makes locks slower, and each client keeps a restarted server out for itself",
                    name);
        }
        admittedRun = run;
        bindsToRun = old;
        firstSeen.clear();
    }

    private static <T> CompletionStage<T> refusal(String why) {
        return CompletableFuture.failedFuture(new CallFailure(why, false));
    }

    /** A lock that the server may have forgotten must have expired by the end of the quarantine. */
    static Attempt outlives(Duration quarantine, LeaseRequest request) {
        return new Attempt.Failed(new CallFailure(outlives(quarantine, request.timeToLive()), false), false);
    }

    private static String outlives(Duration quarantine, Duration timeToLive) {
        return "a lock that may stand for " + timeToLive + " would outlast the restart guard's quarantine of "
                + quarantine + ": lengthen the quarantine, or shorten the lease";
    }

    /** The same rule, for those who ask before. */
    static void validate(Optional<Duration> quarantine, LockOptions options) {
        if (quarantine.isPresent() && options.timeToLive().compareTo(quarantine.get()) > 0) {
            throw new IllegalArgumentException(outlives(quarantine.get(), options.timeToLive()));
        }
    }

    @Override
    public CompletionStage<Duration> quarantineLeft() {
        return server.info("server")
                .thenCompose(info -> isOld(info)
                        ? CompletableFuture.completedFuture(quarantineLeft(info))
                        : server.knows(scripts.get(0))
                                .thenApply(known -> known ? Duration.ZERO : quarantineLeft(info)));
    }

    /**
     * Somebody may have admitted the server before; then its scripts can be loaded again should they be flushed. Asked in
     * this order: a server that takes its place in between is not taken for admitted.
     */
    @Override
    public void connected() {
        server.info("server")
                .thenCompose(info -> server.knows(scripts.get(0)).thenAccept(known -> {
                    if (known && !isOld(info)) {
                        admitted(info.runId(), false);
                    }
                }))
                .exceptionally(failure -> {
                    log.debug("Whether the server is admitted could not be asked", failure);
                    return null;
                });
    }
}
