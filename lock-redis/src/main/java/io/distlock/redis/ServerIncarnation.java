package io.distlock.redis;

/**
 * What a server has to go on being in order to be trusted with the locks that it was asked to keep: the same process, and,
 * unless nothing else can replace it, a master without a break.
 *
 * @param standsAlone whether it can neither be, nor become, a replica
 * @param run its run_id
 * @param history its replication history
 * @param old whether it is older than Redis 7, where scripts outlive a restart
 */
record ServerIncarnation(boolean standsAlone, String run, String history, boolean old) {

    private static final int SCRIPTS_STAY_LOCAL_SINCE = 7;

    static ServerIncarnation of(ServerInfo info, boolean standsAlone) {
        return new ServerIncarnation(
                standsAlone, info.runId(), info.history(), info.majorVersion() < SCRIPTS_STAY_LOCAL_SINCE);
    }

    /** The form of a script whose presence, or whose own look at the server, tells that this incarnation was admitted. */
    LuaScript form(LuaScript script) {
        if (standsAlone) {
            return old ? script.after("only-in-run") : script;
        }
        return script.after("only-in-history").withComment("In replication history " + history + '.');
    }

    /** The same, of an invocation of the script. */
    <T> ScriptCall<T> bind(ScriptCall<T> invocation, LuaScript form) {
        if (standsAlone) {
            return old ? invocation.of(form, run) : invocation;
        }
        return invocation.of(form, history);
    }
}
