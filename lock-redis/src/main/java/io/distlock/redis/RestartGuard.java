package io.distlock.redis;

import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.Attempt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
 * trusted; or once the quarantine since it was first seen is over. Thread-safe.
 */
final class RestartGuard implements ScriptAdmission {

    private static final Logger log = LoggerFactory.getLogger(RestartGuard.class);
    private static final int SCRIPTS_STAY_LOCAL_SINCE = 7;

    private final ServerCalls server;
    private final List<LuaScript> scripts;
    private final String fenceBase;
    private final Duration quarantine;
    private final boolean trustsUptime;
    private final Ticker ticker;
    private final ConcurrentHashMap<String, Moment> firstSeen = new ConcurrentHashMap<>();
    private volatile @Nullable String admittedRun;

    /**
     * @param scripts the first one is asked for
     * @param fenceBase key of the least fencing token
     * @param trustsUptime whether a server that has been up for longer than the quarantine has forgotten nothing: so for
     *     one that stands alone, not for a replica that was promoted
     */
    RestartGuard(
            ServerCalls server,
            List<LuaScript> scripts,
            String fenceBase,
            Duration quarantine,
            boolean trustsUptime,
            Ticker ticker) {
        this.server = server;
        this.scripts = List.copyOf(scripts);
        this.fenceBase = fenceBase;
        this.quarantine = quarantine;
        this.trustsUptime = trustsUptime;
        this.ticker = ticker;
    }

    @Override
    public CompletionStage<?> admit(LuaScript script, int slot) {
        return server.info("server").thenCompose(this::admit);
    }

    private CompletionStage<?> admit(ServerInfo info) {
        if (info.majorVersion() < SCRIPTS_STAY_LOCAL_SINCE) {
            return refusal("the restart guard needs Redis 7, and this is "
                    + info.field("redis_version").orElse("unknown"));
        }
        String run = info.runId();
        if (run.equals(admittedRun)) {
            return load();
        }
        Duration left = quarantineLeft(run);
        if (left.isZero() || (trustsUptime && info.uptime().compareTo(quarantine) > 0)) {
            log.info("Redis {} is admitted", run);
            return server.timeMicros()
                    .thenCompose(micros -> server.set(fenceBase, Long.toString(micros)))
                    .thenCompose(set -> load())
                    .thenAccept(loaded -> admitted(run));
        }
        return refusal("Redis was restarted or replaced (run " + run + ") and may have forgotten locks: quarantined for"
                + " another " + (left.toMillis() + 999) / 1000 + " s");
    }

    private Duration quarantineLeft(String run) {
        Moment first = firstSeen.computeIfAbsent(run, unknown -> {
            log.warn("Redis {} is new to this client: it grants no locks for {}", run, quarantine);
            return ticker.now();
        });
        Duration left = quarantine.minusNanos(ticker.nanos() - first.nanos());
        return left.isNegative() ? Duration.ZERO : left;
    }

    private CompletionStage<?> load() {
        return CompletableFuture.allOf(scripts.stream()
                .map(script -> server.load(script, 0).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private void admitted(String run) {
        admittedRun = run;
        firstSeen.clear();
    }

    /** A lock that the server may have forgotten must have expired by the end of the quarantine. */
    static Attempt outlives(Duration quarantine, LeaseRequest request) {
        CallFailure cause = new CallFailure(
                "a lock that may stand for " + request.timeToLive()
                        + " would outlast the restart guard's quarantine of " + quarantine
                        + ": lengthen the quarantine, or shorten the lease",
                false);
        return new Attempt.Failed(cause, false);
    }

    private static CompletionStage<?> refusal(String why) {
        return CompletableFuture.failedFuture(new CallFailure(why, false));
    }

    /** Somebody may have admitted the server before; then its scripts can be loaded again should they be flushed. */
    @Override
    public void connected() {
        server.knows(scripts.get(0))
                .thenCombine(server.info("server"), (known, info) -> known ? info.runId() : null)
                .thenAccept(run -> {
                    if (run != null) {
                        admitted(run);
                    }
                })
                .exceptionally(failure -> {
                    log.debug("Whether the server is admitted could not be asked", failure);
                    return null;
                });
    }
}
