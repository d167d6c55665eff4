package io.distlock.redis;

import io.lettuce.core.api.StatefulConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Loads scripts whenever they are missing: at the start, after a restart, after SCRIPT FLUSH. Thread-safe. */
final class ScriptsOnDemand implements ScriptAdmission {

    private final ServerCommands server;
    private final List<LuaScript> scripts;

    ScriptsOnDemand(ServerCommands server, List<LuaScript> scripts) {
        this.server = server;
        this.scripts = List.copyOf(scripts);
    }

    @Override
    public CompletionStage<?> admit(LuaScript script, int slot) {
        return server.load(script, slot);
    }

    /** Spares the first locks a refusal; one that cannot be loaded now is loaded when it is missed. */
    @Override
    public void connected(StatefulConnection<String, String> connection) {
        scripts.forEach(script -> server.load(script, 0, connection));
    }
}
