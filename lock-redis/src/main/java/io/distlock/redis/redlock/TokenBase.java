package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.ServerCommands;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * The lowest fencing token that a node may propose after a restart, in which it may have lost its counters: above its
 * own time, which alone is not enough, its remaining counters, and those of a majority of the other nodes. Each granted
 * token is stored on a majority: unless more than a minority is down or has lost its counters, one of those asked has seen
 * it. Thread-safe.
 *
 * @param nodes complete before any of them is admitted
 */
record TokenBase(
        String key,
        Quorum quorum,
        Timeouts timeouts,
        Duration callTimeout,
        Duration quarantine,
        List<RedlockNode> nodes) {

    private static final String BASE = "base";

    /** The run and quarantine under which the base was set. */
    private static final String RUN = "run";

    /**
     * Sets the base of a node about to be admitted, unless a client did so in the same run. Fails if fewer than a
     * majority of the others answer.
     *
     * @param same connects to the server to be admitted, and to no other
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

    /** After a shorter quarantine, work begun before the restart may still have been running. */
    private boolean isSet(List<String> own, String run) {
        return own.stream()
                .filter(value -> value.startsWith(run))
                .anyMatch(value -> Long.parseLong(value.substring(run.length())) >= quarantine.toMillis());
    }

    /** A client with another quarantine may have admitted it before, and must not be undercut. */
    private CompletionStage<Long> set(String node, ServerCommands same, long own, String run) {
        return largestOfOthers(node)
                .thenCombine(same.timeMicros(), (others, micros) -> Math.max(Math.max(others, own) + 1, micros))
                .thenCompose(base -> same.setInHash(key, BASE, Long.toString(base), RUN, run));
    }

    private CompletableFuture<Long> largestOfOthers(String node) {
        Queue<String> silent = new ConcurrentLinkedQueue<>();
        Queue<Long> answers = new ConcurrentLinkedQueue<>();
        var asked = nodes.stream()
                .filter(other -> !other.name().equals(node))
                .map(other -> timeouts.within(
                                callTimeout, other.calls().server().hashValues(key))
                        .handle((values, failure) -> failure == null
                                ? answers.add(largest(values))
                                : silent.add(other.name() + ": "
                                        + RedisCallException.of(failure).getMessage())));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            if (answers.size() < quorum.majority()) {
                throw new RedisCallException(
                        node + " may have lost its fencing counters and does not vote until " + quorum.majority()
                                + " of the other nodes report theirs: only " + answers.size() + " answered ("
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
