package io.distlock.spring.execution;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.spring.OnLost;

/**
 * A lock that one call needs.
 *
 * @param client grants it
 * @param request what to ask for
 * @param onLost what becomes of the body if the lock is lost
 * @param refusal what becomes of the call if the lock is not granted
 */
public record LockTask(LockClient client, LockRequest request, OnLost onLost, Refusal refusal) {

    String provider() {
        return client.provider();
    }
}
