package io.distlock.redis.script;

import io.distlock.redis.script.ServerCommands.Info;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must not change while a server is trusted to know its locks: the process and, unless it stands alone, its time
 * as master.
 *
 * @param standsAlone whether it can neither be, nor become, a replica
 * @param old whether it is older than Redis 7, and may keep scripts across a restart
 */
record ServerIncarnation(boolean standsAlone, String run, String history, boolean old) {

    private static final int SCRIPTS_STAY_LOCAL_SINCE = 7;

    static ServerIncarnation of(Info info, boolean standsAlone) {
        return new ServerIncarnation(
                standsAlone,
                info.runId(),
                info.field("master_replid").orElse("unknown"),
                info.majorVersion() < SCRIPTS_STAY_LOCAL_SINCE);
    }

    /** The form of a script that runs only where this incarnation was admitted. */
    LuaScript form(LuaScript script) {
        if (standsAlone) {
            return old ? script.after("require-same-run") : script;
        }
        return script.after("require-same-history").withComment("In replication history " + history + '.');
    }

    /** The call in that form. */
    <T> ScriptCall<T> bind(ScriptCall<T> invocation, LuaScript form) {
        return standsAlone && !old ? invocation : invocation.of(form, standsAlone ? run : history);
    }

    /**
     * How long each incarnation has been up at least. A server's wall clock may be stepped: its count is trusted when
     * the run is first seen, and no further back than when the previous run was last connected. From then on the local
     * clock counts. Thread-safe.
     */
    static final class Uptimes {

        private final Ticker ticker;
        private final Map<ServerIncarnation, Long> upSince = new HashMap<>();
        private @Nullable ServerIncarnation last;
        private boolean wasConnected;
        private long lastNanos;

        Uptimes(Ticker ticker) {
            this.ticker = ticker;
        }

        synchronized void disconnected() {
            wasConnected = true;
            lastNanos = ticker.nanos();
        }

        synchronized void heardOf(ServerIncarnation run, Duration uptime) {
            long now = ticker.nanos();
            long said = Math.max(0, uptime.toNanos());
            long up = wasConnected && !run.equals(last) ? Math.min(said, now - lastNanos) : said;
            upSince.putIfAbsent(run, now - up);
            last = run;
            wasConnected = true;
            lastNanos = now;
        }

        synchronized Duration upFor(ServerIncarnation run) {
            return Duration.ofNanos(ticker.nanos() - upSince.getOrDefault(run, ticker.nanos()));
        }
    }
}
