package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Optional;

/** What a look at a lock's queue has found. */
sealed interface QueueFinding {

    /** Whether the predecessor, or the place itself, lost its lease; otherwise its key was deleted. */
    default boolean leaseGone() {
        return false;
    }

    /** The place exists, as seen at a revision. Its create revision is the fencing token once there is no predecessor. */
    record Standing(
            long createRevision,
            Optional<ByteSequence> predecessor,
            Duration lockDelayAhead,
            boolean leaseGone,
            long seen)
            implements QueueFinding {}

    record Gone(boolean leaseGone) implements QueueFinding {}

    /** It was not taken: somebody is ahead, and the request does not wait. */
    record Occupied() implements QueueFinding {}

    /** It was not taken, and never will be: a withdrawal has advanced the session's epoch, or the session is lost. */
    record Refused() implements QueueFinding {}
}
