package io.distlock.spring;

import io.distlock.LockClient;

/**
 * Customizes each lock client after its creation and before its first use. It may add listeners or return a client
 * that wraps the given one. Beans of this type are called in order.
 */
@FunctionalInterface
public interface LockClientCustomizer {

    /** The client to use, which may be the same one. */
    LockClient customize(LockClient client);
}
