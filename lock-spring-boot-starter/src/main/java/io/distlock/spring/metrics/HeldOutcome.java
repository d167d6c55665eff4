package io.distlock.spring.metrics;

import io.distlock.Release;

/** How a lock that was held has ended. */
enum HeldOutcome {
    RELEASED,

    /** Given back, but the store did not answer; it is withdrawn in the background, or expires. */
    UNKNOWN,
    LOST;

    /** A release that finds another owner is told as a loss. */
    static HeldOutcome of(Release release) {
        return switch (release) {
            case RELEASED -> RELEASED;
            case UNKNOWN -> UNKNOWN;
            case NOT_OWNER -> LOST;
        };
    }
}
