package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What the other nodes have counted, when one is to be admitted. Thread-safe.
 *
 * @param nodes complete before any of them is admitted
 */
record OtherCounters(String key, Quorum quorum, Timeouts timeouts, Duration callTimeout, List<RedlockNode> nodes) {

    /** The largest; zero if none has one. Fails if fewer than a majority of the others answer. */
    CompletionStage<Long> than(String node) {
        Queue<String> silent = new ConcurrentLinkedQueue<>();
        Queue<Long> answers = new ConcurrentLinkedQueue<>();
        var asked = nodes.stream()
                .filter(other -> !other.name().equals(node))
                .map(other -> timeouts.within(
                                callTimeout, other.calls().server().counter(key))
                        .handle((counter, failure) -> failure == null
                                ? answers.add(counter.orElse(0L))
                                : silent.add(other.name() + ": "
                                        + RedisCallException.of(failure).getMessage())));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            if (answers.size() < quorum.majority()) {
                throw new RedisCallException(
                        node + " may have lost its fencing counter and does not vote until " + quorum.majority()
                                + " of the other nodes report theirs: only " + answers.size() + " answered ("
                                + silent.peek() + ')',
                        false);
            }
            return answers.stream().mapToLong(Long::longValue).max().orElse(0);
        });
    }
}
