package io.distlock.support;

import io.distlock.spi.Grant;
import java.time.Duration;
import java.util.Optional;

/** How one try to take a lock ended. */
public sealed interface Attempt {

    /** The lock is ours. */
    record Granted(Grant grant) implements Attempt {}

    /**
     * Another has it.
     *
     * @param freeIn when the store frees it by itself if its holder is not heard of again, if the store knows
     */
    record Refused(Optional<Duration> freeIn) implements Attempt {}

    /**
     * The store did not answer, or answered with an error.
     *
     * @param mayBeApplied whether the lock may have been taken for us nevertheless
     */
    record Failed(Throwable cause, boolean mayBeApplied) implements Attempt {}
}
