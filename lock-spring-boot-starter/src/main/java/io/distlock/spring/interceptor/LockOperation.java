package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.OnNotAcquired;
import java.util.List;
import java.util.function.Function;

/**
 * How a method is locked: all that the annotation says, checked and resolved once.
 *
 * @param client grants the lock
 * @param keys what a call locks
 * @param mode how
 * @param options the client's, with what the annotation says otherwise
 * @param onNotAcquired what becomes of a call that does not get the lock
 * @param results what the method may return
 */
record LockOperation(
        LockClient client,
        Function<LockedCall, List<LockKey>> keys,
        LockMode mode,
        LockOptions options,
        OnNotAcquired onNotAcquired,
        MethodResults results) {

    /** What to ask the client for on behalf of a call. */
    LockRequest request(LockedCall call) {
        return new LockRequest(keys.apply(call), mode, options);
    }
}
