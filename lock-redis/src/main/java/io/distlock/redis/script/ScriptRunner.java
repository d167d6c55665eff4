package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCall;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.spi.Ticker;
import io.distlock.support.CallsInFlight;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs scripts, and loads those that a server does not know. Fails with a {@link RedisCallException}. Thread-safe. */
final class ScriptRunner {

    private final Admission admission;
    private final Ticker ticker;
    private final Duration callTimeout;
    private final Consumer<Throwable> onFailure;
    private final CallsInFlight underWay = new CallsInFlight();

    ScriptRunner(Admission admission, Ticker ticker, Duration callTimeout, Consumer<Throwable> onFailure) {
        this.admission = admission;
        this.ticker = ticker;
        this.callTimeout = callTimeout;
        this.onFailure = onFailure;
    }

    /** Completes when every script that was run has ended. */
    CompletableFuture<Void> drained() {
        return underWay.drained();
    }

    <T> CompletableFuture<T> run(ScriptCall<T> invocation, Consumer<RedisCall<T>> sender) {
        Run<T> run = new Run<>(invocation, sender);
        underWay.begin();
        run.whenComplete((reply, failure) -> underWay.end());
        run.send();
        return run;
    }

    private final class Run<T> extends CompletableFuture<T> {

        private final ScriptCall<T> invocation;
        private final Consumer<RedisCall<T>> sender;
        private final long startedNanos = ticker.nanos();
        private boolean admitted;

        Run(ScriptCall<T> invocation, Consumer<RedisCall<T>> sender) {
            this.invocation = invocation;
            this.sender = sender;
        }

        void send() {
            RedisCall<T> call = invocation.newCall(ticker.nanos());
            sender.accept(call);
            call.whenComplete((reply, failure) -> answered(call, reply, failure));
        }

        private void answered(RedisCall<T> call, T reply, @Nullable Throwable failure) {
            if (failure == null) {
                complete(reply);
            } else if (failure instanceof RedisNoScriptException && !admitted) {
                admitted = true;
                admission.admit(invocation.script(), invocation.slot()).whenComplete(this::admitted);
            } else {
                onFailure.accept(failure);
                completeExceptionally(call.failure(invocation.script().name(), failure));
            }
        }

        private void admitted(@Nullable Object done, @Nullable Throwable refusal) {
            // Redis did not know the script, so it has done nothing.
            if (refusal != null) {
                completeExceptionally(RedisCallException.of(refusal).withoutEffect());
            } else if (ticker.nanos() - startedNanos > callTimeout.toNanos()) {
                // Its caller has given up by now, and may have withdrawn what it would do.
                completeExceptionally(new RedisCallException("loading the script took too long", false));
            } else {
                send();
            }
        }
    }

    /** What to do about a server that does not know a script. */
    interface Admission {

        /** Loads the script for keys of that slot; fails if it cannot, or must not yet. */
        CompletionStage<?> admit(LuaScript script, int slot);

        /** How long the server is still kept out; zero if it is not. Fails if it does not answer. */
        default CompletionStage<Duration> quarantineLeft() {
            return CompletableFuture.completedFuture(Duration.ZERO);
        }

        /** Called with a connection that has just been made, before locks use it. */
        default void connected(StatefulConnection<String, String> connection) {}

        /** Called when that connection was lost; the next one may lead to another process. */
        default void disconnected() {}

        /** Called when the driver has made it again. */
        default void reconnected() {}

        default void close() {}
    }

    /**
     * Loads scripts whenever they are missing: at the start, after a restart, after SCRIPT FLUSH.
     *
     * @param counter what they need besides; a node of Redlock refuses them without it
     */
    record OnDemand(ServerCommands server, List<LuaScript> scripts, Optional<FencingCounter> counter)
            implements Admission {

        @Override
        public CompletionStage<?> admit(LuaScript script, int slot) {
            return counter.<CompletionStage<?>>map(missing -> server.startCounter(missing.key(), 0))
                    .orElseGet(() -> CompletableFuture.completedFuture(script))
                    .thenCompose(started -> server.load(script, slot));
        }

        /** Spares the first locks a round trip; what cannot be loaded now is loaded when missed. */
        @Override
        public void connected(StatefulConnection<String, String> connection) {
            server.load(scripts, connection);
        }
    }
}
