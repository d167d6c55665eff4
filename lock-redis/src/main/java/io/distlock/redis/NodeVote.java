package io.distlock.redis;

import java.time.Duration;
import java.util.Optional;

/** What one node said to an acquisition. */
sealed interface NodeVote {

    /**
     * The node gives the lock.
     *
     * @param token proposed by the node
     */
    record Granted(long token) implements NodeVote {}

    /**
     * Another has the lock on the node.
     *
     * @param holder the same number for the same owner; {@link #READERS} for readers
     * @param freeIn when the node frees it by itself, if it knows
     */
    record Refused(long holder, Optional<Duration> freeIn) implements NodeVote {

        static final long READERS = 0;
    }

    /** No answer, or an error. */
    record Silent(RedisCallException cause) implements NodeVote {}
}
