package io.distlock.spring;

import io.distlock.LockClient;

/**
 * Customizes each lock client after its creation and before its first use: may add listeners, or return another client
 * that wraps it. Beans of this type are called in their order.
 */
@FunctionalInterface
public interface LockClientCustomizer {

    /** The client to be used, which may be the same. */
    LockClient customize(LockClient client);
}
