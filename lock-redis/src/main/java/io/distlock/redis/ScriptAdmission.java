package io.distlock.redis;

import java.util.concurrent.CompletionStage;

/** What to do about a server that does not know a script. */
interface ScriptAdmission {

    /**
     * Loads the script; fails if it cannot be, or must not be yet.
     *
     * @param slot of the keys that the script is to be used on
     */
    CompletionStage<?> admit(LuaScript script, int slot);

    /** Called once a connection stands. */
    default void connected() {}
}
