package io.distlock.redis;

import io.distlock.spi.Ticker;
import io.lettuce.core.RedisNoScriptException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs scripts by their digest. What goes wrong is a {@link CallFailure}. Thread-safe. */
final class ScriptRunner {

    private final RedisLink<?> link;
    private final ScriptAdmission admission;
    private final Ticker ticker;

    ScriptRunner(RedisLink<?> link, ScriptAdmission admission, Ticker ticker) {
        this.link = link;
        this.admission = admission;
        this.ticker = ticker;
    }

    <T> CompletableFuture<T> run(Invocation<T> invocation) {
        return run(invocation, link::send);
    }

    /**
     * @param sender puts the call on its way
     */
    <T> CompletableFuture<T> run(Invocation<T> invocation, Consumer<RedisCall<T>> sender) {
        Run<T> run = new Run<>(invocation, sender);
        run.send();
        return run;
    }

    private final class Run<T> extends CompletableFuture<T> {

        private final Invocation<T> invocation;
        private final Consumer<RedisCall<T>> sender;
        private boolean admitted;

        Run(Invocation<T> invocation, Consumer<RedisCall<T>> sender) {
            this.invocation = invocation;
            this.sender = sender;
        }

        void send() {
            RedisCall<T> call = admission.bound(invocation).newCall(ticker.nanos());
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
                completeExceptionally(call.failure(invocation.script().name(), failure));
            }
        }

        private void admitted(@Nullable Object done, @Nullable Throwable refusal) {
            if (refusal == null) {
                send();
            } else {
                // Redis did not know the script, so it has done nothing.
                completeExceptionally(CallFailure.of(refusal).withoutEffect());
            }
        }
    }
}
