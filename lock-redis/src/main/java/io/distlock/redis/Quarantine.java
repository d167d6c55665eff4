package io.distlock.redis;

import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;

/** What the quarantine of the restart guard demands of locks. */
final class Quarantine {

    private Quarantine() {}

    /** A lock that the server may have forgotten must have expired by the end of the quarantine. */
    static Optional<LockUnavailableException> refusal(Optional<Duration> quarantine, LeaseRequest request) {
        return outlives(quarantine, request.timeToLive())
                .map(why -> new LockUnavailableException(request.key(), Duration.ZERO, why, null));
    }

    /** The same rule, for those who ask before. */
    static void validate(Optional<Duration> quarantine, LockOptions options) {
        outlives(quarantine, options.timeToLive()).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
    }

    private static Optional<String> outlives(Optional<Duration> quarantine, Duration timeToLive) {
        return quarantine
                .filter(time -> timeToLive.compareTo(time) > 0)
                .map(time ->
                        "a lock that may stand for " + timeToLive + " would outlast the restart guard's quarantine of "
                                + time + ": lengthen the quarantine, or shorten lease and minimum hold time");
    }
}
