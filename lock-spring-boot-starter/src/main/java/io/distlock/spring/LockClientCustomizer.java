package io.distlock.spring;

import io.distlock.LockClient;

/**
 * Sees each lock client when it has been made and before anybody uses it: may add listeners to it, or answer another
 * client around it. Beans of this type are asked in their order.
 */
@FunctionalInterface
public interface LockClientCustomizer {

    /** The client to be used, which may be the same. */
    LockClient customize(LockClient client);
}
