package io.distlock.spring.interceptor;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.execution.Refusal;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the calls of a method get in place of a body that was not run. */
@FunctionalInterface
interface Refusals {

    /** Each caller is told why. */
    Refusals THROW = call -> Refusal.THROW;

    Refusal of(LockedCall call);

    /** An empty value where another holds the lock; a silent store is still told. */
    static Refusals skip(Supplier<@Nullable Object> empty) {
        Refusal refusal = why -> {
            if (why instanceof LockNotAcquiredException) {
                return empty.get();
            }
            throw why;
        };
        return call -> refusal;
    }

    /** Another method's result; what no method takes is told. */
    static Refusals fallback(Fallbacks fallbacks) {
        return call -> why -> answer(fallbacks.of(why), call, why);
    }

    private static @Nullable Object answer(Optional<FallbackMethod> method, LockedCall call, LockException why)
            throws Throwable {
        if (method.isEmpty()) {
            throw why;
        }
        return method.get().invoke(call, why);
    }
}
