package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.redis.script.DeploymentCalls;
import io.distlock.redis.script.FencingCounter;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.RedisScripts;
import io.distlock.redis.script.RedisStore;
import io.distlock.redis.script.ScriptCall;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One-shot operations on one of the independent servers. Only inspections and restorations fail; none has a time limit.
 * Thread-safe.
 */
final class RedlockNode {

    /** What the script says in place of an owner's number. */
    private static final long HELD_BY_READERS = 0;

    private final String name;
    private final RunIds runIds;
    private final DeploymentCalls calls;
    private final RedisStore node;
    private final RedisScripts.Redlock scripts;
    /** The lost connections before it was last identified. */
    private volatile OptionalInt identifiedAfter = OptionalInt.empty();

    RedlockNode(
            RedlockConnections.Node server,
            RedlockOptions options,
            RedisScripts.Redlock scripts,
            RedisKeys keys,
            RunIds runIds,
            OtherCounters others,
            LockRuntime runtime) {
        this.name = server.name();
        this.runIds = runIds;
        this.scripts = scripts;
        this.calls = new DeploymentCalls(
                server.connections(),
                options.callTimeout(),
                0,
                scripts.all(),
                Optional.of(new FencingCounter(
                        "Redlock node " + name, keys.fence(), options.restartGuard(), () -> others.than(name))),
                runtime);
        this.node = new RedisStore(calls, keys, scripts.node(), runtime.ticker());
    }

    String name() {
        return name;
    }

    DeploymentCalls calls() {
        return calls;
    }

    /** For what works as on a single Redis: subscriptions and inspections. */
    RedisStore alone() {
        return node;
    }

    CompletableFuture<Boolean> warmUp(Duration connectTimeout) {
        CompletableFuture<Boolean> connected = calls.warmUp("distributed-lock.redlock.*", connectTimeout);
        identify();
        return connected;
    }

    /** Asks which server it is, before its votes count, and again after each lost connection. */
    CompletionStage<?> identify() {
        int disconnections = calls.disconnections();
        return calls.server().info("server").handle((info, failure) -> {
            if (failure == null) {
                info.field("run_id").ifPresent(run -> runIds.seen(name, run));
            } else if (!isForbidden(RedisCallException.of(failure).getCause())) {
                throw RedisCallException.of(failure).withoutEffect();
            }
            // A server that forbids the question can be used at its operator's risk.
            identifiedAfter = OptionalInt.of(disconnections);
            return null;
        });
    }

    private CompletionStage<?> identified() {
        boolean isKnown = identifiedAfter.equals(OptionalInt.of(calls.disconnections()));
        return isKnown ? CompletableFuture.completedFuture(name) : identify();
    }

    /** Not a server that is loading its data, for example, which will answer later. */
    static boolean isForbidden(@Nullable Throwable cause) {
        String message = cause instanceof RedisCommandExecutionException ? cause.getMessage() : null;
        return message != null
                && (message.startsWith("NOPERM") || (message.startsWith("ERR") && message.contains("unknown")));
    }

    /** How long it still does not vote after a restart. Fails if it does not answer. */
    CompletionStage<Duration> check() {
        return calls.server().ping().thenCompose(pong -> identify()).thenCompose(known -> calls.quarantineLeft());
    }

    /** The request for a vote and a fencing token proposal; the same for all nodes. */
    ScriptCall<List<Long>> question(LeaseRequest request, RedisKeys.Names names, String owner) {
        return node.acquisition(request, owner, false, names, node.keys().fence());
    }

    /** Does not fail. */
    CompletionStage<Vote> take(ScriptCall<List<Long>> question) {
        return identified()
                .thenCompose(known -> calls.run(question))
                .handle((said, failure) ->
                        failure == null ? vote(said) : new Vote.Silent(RedisCallException.of(failure)));
    }

    private static Vote vote(List<Long> reply) {
        long value = reply.get(1);
        if (reply.get(0) == 1) {
            return new Vote.Granted(value);
        }
        long holder = reply.get(2);
        OptionalLong writer = holder == HELD_BY_READERS ? OptionalLong.empty() : OptionalLong.of(holder);
        return new Vote.Refused(writer, RedisStore.freeIn(value));
    }

    /** Second phase: whether the node stands by its vote, with its counter raised to the token of the grant. */
    CompletableFuture<Boolean> raise(RedisLease entry, long proposed) {
        RedisKeys.Names names = entry.names();
        List<String> keys = List.of(names.lock(), names.readers(), node.keys().fence());
        ScriptCall<Long> raise = ScriptCall.of(scripts.raise(), names.slot(), IntegerOutput::new, keys);
        String proposal = entry.owner() + ':' + proposed;
        return calls.run(raise.with(entry.mode(), proposal, entry.owner(), entry.token()))
                .handle((reply, failure) -> failure == null && reply == 1);
    }

    /** Withdraws a vote, whatever its result. */
    CompletionStage<Release> withdraw(LeaseRequest request, String owner, boolean quietly) {
        return node.withdraw(request.mode(), request.key(), owner, quietly);
    }

    /** As {@link io.distlock.spi.LockProvider#renew}, for entries. */
    void renew(Collection<Lease> entries, Renewal.Answers answers) {
        identified().whenComplete((known, failure) -> {
            if (failure == null) {
                node.renew(entries, answers);
            } else {
                entries.forEach(entry -> answers.answer(entry, Renewal.UNKNOWN));
            }
        });
    }

    /**
     * Adds missing entries here unless another owner has taken their place; one command.
     *
     * @return for each, 1 if it is here now
     */
    CompletionStage<List<Long>> restore(List<RedisLease> entries) {
        List<String> keys = entries.stream()
                .map(RedisLease::names)
                .flatMap(names -> Stream.of(names.lock(), names.readers()))
                .toList();
        ScriptCall<List<Long>> invocation =
                ScriptCall.of(scripts.restore(), entries.get(0).names().slot(), IntegerListOutput::new, keys);
        for (RedisLease entry : entries) {
            invocation.with(entry.mode(), entry.owner(), entry.token(), entry.renewedTimeToLive());
        }
        return calls.run(invocation);
    }

    CompletionStage<Release> release(RedisLease entry, Duration keepFor) {
        // A reader may still have the token that the node proposed.
        Optional<FencingToken> token = entry.mode() == LockMode.SHARED ? Optional.empty() : Optional.of(entry.token());
        return node.release(entry.mode(), entry.names(), entry.owner(), token, false, keepFor);
    }
}
