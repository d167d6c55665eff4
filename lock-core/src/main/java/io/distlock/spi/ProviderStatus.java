package io.distlock.spi;

import java.util.Map;

/**
 * The state of a provider's store.
 *
 * @param state whether locks can be acquired
 * @param details figures for diagnostics, by name; no secrets
 */
public record ProviderStatus(State state, Map<String, Object> details) {

    public enum State {
        UP,
        /** Locks can be acquired, but something needs repair. */
        DEGRADED,
        DOWN
    }

    public ProviderStatus {
        details = Map.copyOf(details);
    }
}
