package io.distlock.redis;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.spi.RenewalAnswers;
import io.distlock.support.LockRuntime;
import io.distlock.support.OneShotStore;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One of the independent servers: asks once and takes what comes. Knows nothing of the others. No stage fails but those
 * of an inspection and a restoration; none is limited in time. Thread-safe.
 */
final class RedlockNode {

    private static final int NEVER = -1;

    private final String name;
    private final RunIds runIds;
    private final NodeCalls calls;
    private final RedisNode node;
    private final RedisKeys keys;
    private final RedlockScripts scripts;
    private volatile int identifiedAfter = NEVER;

    /**
     * @param keys the same for all nodes: whoever is told by one of a release may have asked another
     */
    RedlockNode(
            RedlockConnections.Node server,
            RedlockOptions options,
            RedlockScripts scripts,
            RedisKeys keys,
            RunIds runIds,
            FenceBase fenceBase,
            LockRuntime runtime) {
        this.name = server.name();
        this.runIds = runIds;
        this.scripts = scripts;
        this.keys = keys;
        this.calls = new NodeCalls(
                server.connections(),
                options.ofNode(),
                runtime.ticker(),
                calls -> options.restartGuard().isEmpty()
                        ? new ScriptsOnDemand(calls, scripts.all())
                        : new RestartGuard(
                                "Redlock node " + name,
                                calls,
                                scripts.all(),
                                options.ofNode(),
                                true,
                                same -> fenceBase.raise(name, same),
                                runtime));
        this.node = new RedisNode(calls, keys, scripts.node(), runtime.ticker());
    }

    String name() {
        return name;
    }

    NodeCalls calls() {
        return calls;
    }

    // --- who it is ---

    /**
     * Asks which server it is, without which its votes do not count. Asked again once the connection was lost: the address
     * may lead to another server now.
     */
    CompletionStage<?> identify() {
        int disconnections = calls.disconnections();
        return calls.server().info("server").handle((info, failure) -> {
            if (failure == null) {
                info.field("run_id").ifPresent(run -> runIds.seen(name, run));
            } else if (!isForbidden(CallFailure.of(failure).getCause())) {
                throw CallFailure.of(failure).withoutEffect();
            }
            // A server that does not allow the question can be used, at the risk of whoever configured it.
            identifiedAfter = disconnections;
            return null;
        });
    }

    private boolean isIdentified() {
        return identifiedAfter == calls.disconnections();
    }

    /** Not so while the server is loading its data, for example: it will answer later. */
    static boolean isForbidden(@Nullable Throwable cause) {
        String message = cause instanceof RedisCommandExecutionException ? cause.getMessage() : null;
        return message != null
                && (message.startsWith("NOPERM") || (message.startsWith("ERR") && message.contains("unknown")));
    }

    /** For how long it gives no votes, if it has been restarted. Fails if it does not answer. */
    CompletionStage<Duration> check() {
        return calls.server().ping().thenCompose(pong -> identify()).thenCompose(known -> calls.quarantineLeft());
    }

    // --- taking ---

    /**
     * The question for a vote, and for a proposal of the fencing token; the same for all nodes.
     *
     * @param owner as whom to ask
     */
    Invocation<List<Long>> question(LeaseRequest request, String owner) {
        boolean shared = request.mode() == LockMode.SHARED;
        RedisKeys.Names names = keys.of(request.key());
        return Invocation.of(
                        shared ? scripts.node().acquireShared() : scripts.node().acquireExclusive(),
                        names.slot(),
                        IntegerListOutput::new,
                        names.lock(),
                        names.readers(),
                        names.waiting(),
                        keys.fences())
                .with(owner)
                .with(Millis.of(request.timeToLive()))
                .with(shared ? 0 : Millis.of(request.deadline().remaining()))
                .with(request.owner())
                .with(names.slot());
    }

    /**
     * Asks for the vote.
     *
     * @param question of {@link #question}
     */
    CompletableFuture<NodeVote> take(Invocation<List<Long>> question) {
        CompletableFuture<List<Long>> reply = isIdentified()
                ? calls.run(question)
                : identify().thenCompose(known -> calls.run(question)).toCompletableFuture();
        return reply.handle(
                (said, failure) -> failure == null ? vote(said) : new NodeVote.Silent(CallFailure.of(failure)));
    }

    private static NodeVote vote(List<Long> reply) {
        long value = reply.get(1);
        if (reply.get(0) == 1) {
            return new NodeVote.Granted(value);
        }
        return new NodeVote.Refused(reply.get(2), value < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(value)));
    }

    /** Second phase: whether the node stands by its vote, with its counter raised to the token of the grant. */
    CompletableFuture<Boolean> raise(RedisLease entry, long proposed) {
        RedisKeys.Names names = entry.names();
        return calls.run(Invocation.of(
                                scripts.raise(),
                                names.slot(),
                                IntegerOutput::new,
                                names.lock(),
                                names.readers(),
                                keys.fences())
                        .with(mode(entry))
                        .with(entry.owner() + ':' + proposed)
                        .with(entry.owner())
                        .with(entry.token().value())
                        .with(names.slot()))
                .handle((reply, failure) -> failure == null && reply == 1);
    }

    /** Takes a vote back, whatever came of it. */
    CompletionStage<Release> withdraw(LeaseRequest request, String owner, boolean quietly) {
        return quietly
                ? node.withdrawQuietly(request, owner)
                : node.release(request.mode(), keys.of(request.key()), owner, RedisNode.NO_TOKEN, Duration.ZERO);
    }

    // --- keeping ---

    /** As {@link io.distlock.spi.LockProvider#renew}, for entries. */
    void renew(Collection<Lease> entries, RenewalAnswers answers) {
        if (isIdentified()) {
            node.renew(entries, answers);
            return;
        }
        identify().whenComplete((known, failure) -> {
            if (failure == null) {
                node.renew(entries, answers);
            } else {
                entries.forEach(entry -> answers.answer(entry, Renewal.UNKNOWN));
            }
        });
    }

    /**
     * Puts entries here that are missing, where nobody else has taken their place; one command. Fails if the node does not
     * answer.
     *
     * @return for each of them 1 if it is here now
     */
    CompletionStage<List<Long>> restore(List<RedisLease> entries) {
        List<String> all = new ArrayList<>();
        for (RedisLease entry : entries) {
            all.add(entry.names().lock());
            all.add(entry.names().readers());
        }
        Invocation<List<Long>> invocation =
                Invocation.of(scripts.restore(), entries.get(0).names().slot(), IntegerListOutput::new, all);
        for (RedisLease entry : entries) {
            invocation
                    .with(mode(entry))
                    .with(entry.owner())
                    .with(entry.token().value())
                    .with(Millis.of(entry.renewedTimeToLive()));
        }
        return calls.run(invocation);
    }

    private static String mode(RedisLease entry) {
        return entry.mode() == LockMode.SHARED ? "shared" : "exclusive";
    }

    // --- giving back ---

    CompletionStage<Release> release(RedisLease entry, Duration keepFor) {
        // Whatever its token: a reader may still stand there under the one that the node proposed.
        return node.release(entry.mode(), entry.names(), entry.owner(), RedisNode.NO_TOKEN, keepFor);
    }

    // --- asking ---

    /** Fails if the node does not answer. */
    CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return node.inspect(key);
    }

    /** As {@link OneShotStore#subscribe}. */
    CompletionStage<OneShotStore.Subscription> subscribe(LockKey key, Runnable wake) {
        return node.subscribe(key, wake);
    }

    /** What a grant with this token is on this node. */
    RedisLease entry(LeaseRequest request, String owner, long token) {
        return entry(request.key(), request.mode(), owner, new FencingToken(token), request.renewedTimeToLive());
    }

    /** What somebody's grant with this token is on this node. */
    RedisLease entry(LockKey key, LockMode mode, String owner, FencingToken token, Duration timeToLive) {
        return new RedisLease(key, mode, owner, token, keys.of(key), timeToLive, Duration.ZERO);
    }
}
