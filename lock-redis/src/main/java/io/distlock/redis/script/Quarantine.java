package io.distlock.redis.script;

import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * How the restart guard keeps out a server, for long enough that every lock that it may have forgotten has expired.
 *
 * @param preparation what must be done to the server before it is admitted
 */
public record Quarantine(String server, Duration time, Function<ServerCommands, CompletionStage<?>> preparation) {

    /** Why a lock that may outlast the quarantine is refused. */
    public static Optional<LockUnavailableException> refusal(Optional<Duration> quarantine, LeaseRequest request) {
        return outlived(quarantine, request.timeToLive())
                .map(why -> new LockUnavailableException(request.key(), Duration.ZERO, why, null));
    }

    /** As {@link io.distlock.spi.LockProvider#validate}. */
    public static void validate(Optional<Duration> quarantine, LockOptions options) {
        outlived(quarantine, options.timeToLive()).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
    }

    private static Optional<String> outlived(Optional<Duration> quarantine, Duration timeToLive) {
        return quarantine
                .filter(time -> timeToLive.compareTo(time) > 0)
                .map(time -> "a lock that may be held for " + timeToLive
                        + " would outlast the restart guard's quarantine of " + time
                        + ": lengthen the quarantine, or shorten the lease time and minimum hold time");
    }
}
