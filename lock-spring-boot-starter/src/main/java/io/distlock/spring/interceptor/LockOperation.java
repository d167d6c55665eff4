package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.LockTask;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * How a method is locked: all that the annotation says, checked and resolved once.
 *
 * @param client grants the lock
 * @param name the bounded part of what a call locks
 * @param keys what a call locks
 * @param mode how
 * @param options the client's, with what the annotation says otherwise
 * @param condition whether a call is to be locked at all
 * @param onLost what becomes of a body whose lock is lost
 * @param refusals what becomes of a call that does not get the lock
 */
record LockOperation(
        LockClient client,
        String name,
        Function<LockedCall, List<LockKey>> keys,
        LockMode mode,
        LockOptions options,
        Predicate<LockedCall> condition,
        OnLost onLost,
        Refusals refusals) {

    boolean appliesTo(LockedCall call) {
        return condition.test(call);
    }

    /** The lock that a call needs. */
    LockTask task(LockedCall call) {
        LockRequest request = new LockRequest(keys.apply(call), mode, options);
        return new LockTask(client, request, onLost, refusals.of(call));
    }
}
