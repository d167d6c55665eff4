package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.ServerCommands;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * The least fencing token that a node may propose after a restart, in which it may have lost its counters: above its
 * own time, above what it still has, and above all that a majority of the other nodes has. Each granted token stands on
 * a majority: while no more than a minority, this node included, is away or has lost its counters, one that is asked
 * has seen it. The nodes' clocks alone would not do: they may differ by any time. From then on {@link TokenConfirmations}
 * make tokens grow. Thread-safe.
 */
final class FenceBase {

    private static final String BASE = "base";

    /** In which run the base was set, and after which quarantine. */
    private static final String RUN = "run";

    private final String key;
    private final Quorum quorum;
    private final Timeouts timeouts;
    private final Duration callTimeout;
    private final Duration quarantine;
    private volatile List<RedlockNode> nodes = List.of();

    /**
     * @param key of the fencing counters
     * @param quarantine after which nodes are admitted
     */
    FenceBase(String key, Quorum quorum, Timeouts timeouts, Duration callTimeout, Duration quarantine) {
        this.key = key;
        this.quorum = quorum;
        this.timeouts = timeouts;
        this.callTimeout = callTimeout;
        this.quarantine = quarantine;
    }

    /** To be called before any node is admitted. */
    void compares(List<RedlockNode> all) {
        nodes = List.copyOf(all);
    }

    /**
     * Sets the base of a node that is about to be admitted, unless somebody has in the same run, and nothing was lost
     * since. Fails if fewer than a majority of the others answer.
     *
     * @param node its name
     * @param same leads to the server that is to be admitted, and to no other
     */
    CompletionStage<?> raise(String node, ServerCommands same) {
        return same.info("server")
                .thenCombine(same.hashValues(key), (info, own) -> {
                    String run = RUN + ' ' + info.runId() + ' ';
                    return info.field("run_id").isPresent() && isSet(own, run)
                            ? CompletableFuture.completedFuture(0L)
                            : set(node, same, largest(own), run + quarantine.toMillis());
                })
                .thenCompose(Function.identity());
    }

    /** After a shorter quarantine, what was begun before the restart may still have been under way. */
    private boolean isSet(List<String> own, String run) {
        return own.stream()
                .filter(value -> value.startsWith(run))
                .anyMatch(value -> Long.parseLong(value.substring(run.length())) >= quarantine.toMillis());
    }

    /** Somebody who has another quarantine may have admitted it before, and must not be undercut. */
    private CompletionStage<Long> set(String node, ServerCommands same, long own, String run) {
        return largestOfOthers(node)
                .thenCombine(same.timeMicros(), (others, micros) -> Math.max(Math.max(others, own) + 1, micros))
                .thenCompose(base -> same.setInHash(key, BASE, Long.toString(base), RUN, run));
    }

    private CompletableFuture<Long> largestOfOthers(String node) {
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        Queue<String> silent = new ConcurrentLinkedQueue<>();
        for (RedlockNode other : nodes) {
            if (!other.name().equals(node)) {
                var values = other.calls().server().hashValues(key);
                asked.add(timeouts.within(callTimeout, values).thenApply(FenceBase::largest));
                asked.get(asked.size() - 1).exceptionally(failure -> {
                    silent.add(
                            other.name() + ": " + RedisCallException.of(failure).getMessage());
                    return 0L;
                });
            }
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).handle((all, anyFailure) -> {
            List<Long> answers = asked.stream()
                    .filter(answer -> !answer.isCompletedExceptionally())
                    .map(CompletableFuture::join)
                    .toList();
            if (answers.size() < quorum.majority()) {
                throw new RedisCallException(
                        node + " may have lost its fencing counters, and gives votes once " + quorum.majority()
                                + " of the other nodes have reported theirs: only " + answers.size() + " answer ("
                                + silent.peek() + ')',
                        false);
            }
            return answers.stream().mapToLong(Long::longValue).max().orElse(0);
        });
    }

    private static long largest(List<String> values) {
        return values.stream()
                .filter(value -> !value.startsWith(RUN))
                .mapToLong(Long::parseLong)
                .max()
                .orElse(0);
    }
}
