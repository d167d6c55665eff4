package io.distlock.spring.endpoint;

import io.distlock.LockKey;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Which locks are asked for.
 *
 * @param name those of this name
 * @param provider those at this provider
 * @param offset without so many that come first
 * @param limit no more than so many
 */
record LocksQuery(@Nullable String name, @Nullable String provider, int offset, int limit) {

    /** How many are shown of each kind, unless asked for otherwise. */
    static final int USUAL = 50;

    /** How many may be asked for at a time. */
    static final int MOST = 500;

    LocksQuery {
        require(offset >= 0, "offset " + offset + " must not be negative");
        require(limit >= 1 && limit <= MOST, "limit must be 1 to " + MOST + ", not " + limit);
    }

    static LocksQuery of(
            @Nullable String name, @Nullable String provider, @Nullable Integer offset, @Nullable Integer limit) {
        return new LocksQuery(name, provider, offset == null ? 0 : offset, limit == null ? USUAL : limit);
    }

    boolean covers(String itsProvider, LockKey key) {
        return (name == null || name.equals(key.name())) && (provider == null || provider.equals(itsProvider));
    }

    private static void require(boolean kept, String rule) {
        if (!kept) {
            throw new InvalidEndpointRequestException(rule, rule);
        }
    }
}
