package io.distlock.spring.execution;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.spring.OnLost;
import java.time.Duration;

/**
 * A lock that one call needs.
 *
 * @param client grants it
 * @param request what to ask for
 * @param onLost what becomes of the body if the lock is lost
 * @param refusal what becomes of the call if the lock is not granted
 */
public record LockTask(LockClient client, LockRequest request, OnLost onLost, Refusal refusal) {

    /** With the rest of the wait time; one attempt if nothing is left of it. */
    LockTask waitedFor(Duration time) {
        Duration left = request.options().waitTime().minus(time);
        return new LockTask(client, request.withWaitTime(left.isNegative() ? Duration.ZERO : left), onLost, refusal);
    }

    String provider() {
        return client.provider();
    }
}
