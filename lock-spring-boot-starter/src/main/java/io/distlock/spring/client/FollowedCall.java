package io.distlock.spring.client;

import io.distlock.HeldLock;

/** Is told how one call for a lock ends: by one of these methods, once. Throws nothing. */
public interface FollowedCall {

    /** It was granted; answers who follows it from here on. */
    FollowedHold granted(HeldLock held);

    /** Another held it for the whole wait time. */
    void refused();

    /** The store did not answer, or the caller gave up. */
    void failed(Throwable cause);
}
