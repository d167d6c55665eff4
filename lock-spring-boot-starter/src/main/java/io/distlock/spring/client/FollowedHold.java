package io.distlock.spring.client;

import io.distlock.LockLoss;
import io.distlock.Release;

/** Is told how one lock that is held ends: by one of these methods, once. Throws nothing. */
public interface FollowedHold {

    void released(Release outcome);

    void lost(LockLoss loss);
}
