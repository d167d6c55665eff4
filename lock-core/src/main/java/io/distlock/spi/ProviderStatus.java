package io.distlock.spi;

import java.util.Map;

/**
 * How a provider's store is.
 *
 * @param state whether locks can be had
 * @param details what a person wants to know, by name; no secrets
 */
public record ProviderStatus(State state, Map<String, Object> details) {

    /** Whether locks can be had. */
    public enum State {
        UP,
        /** Locks can be had, but something should be mended. */
        DEGRADED,
        DOWN
    }

    public ProviderStatus {
        details = Map.copyOf(details);
    }
}
