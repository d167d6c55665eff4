package io.distlock.redis;

import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The least fencing token that a node may propose after a restart, in which it may have lost its counters: above its own
 * time, above what it still has, and above all that a majority of the other nodes has. Each token that was granted stands on a majority: as long as
 * no more than a minority is away or has lost its counters, this node included, one that is asked has seen it. The clocks
 * of the nodes alone would not do: they may differ by any time. Thread-safe.
 */
final class FenceBase {

    private static final String BASE = "base";

    private final String key;
    private final Quorum quorum;
    private final Timeouts timeouts;
    private final Duration callTimeout;
    private volatile List<RedlockNode> nodes = List.of();

    /**
     * @param key of the fencing counters
     */
    FenceBase(String key, Quorum quorum, Timeouts timeouts, Duration callTimeout) {
        this.key = key;
        this.quorum = quorum;
        this.timeouts = timeouts;
        this.callTimeout = callTimeout;
    }

    /** To be called before any node is admitted. */
    void compares(List<RedlockNode> all) {
        nodes = List.copyOf(all);
    }

    /**
     * Sets the base of a node that is about to be admitted. Fails if fewer than a majority of the others answer.
     *
     * @param node its name
     * @param same leads to the server that is to be admitted, and to no other
     */
    CompletionStage<?> raise(String node, ServerCommands same) {
        return largestOfOthers(node)
                // Somebody who has another quarantine may have admitted it before, and must not be undercut.
                .thenCombine(same.hashValues(key), (others, own) -> Math.max(others, largest(own)))
                .thenCombine(same.timeMicros(), (largest, micros) -> Math.max(largest + 1, micros))
                .thenCompose(base -> same.setInHash(key, BASE, Long.toString(base)));
    }

    private CompletableFuture<Long> largestOfOthers(String node) {
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        for (RedlockNode other : nodes) {
            if (!other.name().equals(node)) {
                var values = other.calls().server().hashValues(key);
                asked.add(timeouts.within(callTimeout, values).thenApply(FenceBase::largest));
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
                                + " of the other nodes have told theirs: only " + answers.size() + " answer",
                        false);
            }
            return answers.stream().mapToLong(Long::longValue).max().orElse(0);
        });
    }

    private static long largest(List<String> values) {
        return values.stream().mapToLong(Long::parseLong).max().orElse(0);
    }
}
