package io.distlock.redis;

import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What to do about a server that does not know a script. */
interface ScriptAdmission {

    /**
     * Loads the script; fails if it cannot be, or must not be yet.
     *
     * @param slot of the keys that the script is to be used on
     */
    CompletionStage<?> admit(LuaScript script, int slot);

    /** What to send for an invocation, as far as the server is known. */
    default <T> ScriptCall<T> bound(ScriptCall<T> invocation) {
        return invocation;
    }

    /** For how long the server is still kept out; zero if it is not. Fails if it does not answer. */
    default CompletionStage<Duration> quarantineLeft() {
        return CompletableFuture.completedFuture(Duration.ZERO);
    }

    /** Called with a connection that has just been made, before locks use it. */
    default void connected(StatefulConnection<String, String> connection) {}

    /** Called when that connection was lost; the next one may lead to another process. */
    default void disconnected() {}
}
