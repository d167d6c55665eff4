package io.distlock.spring.interceptor;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.spring.context.CallContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rule that everything else is for: no lock, no body. */
final class LockedBody {

    private LockedBody() {}

    /**
     * Runs the body under the lock that is asked for, or does not run it.
     *
     * @throws Throwable what the body threw, untouched; or the reason why it was not run; or, if it has run to its
     *     end but the lock was lost, {@link io.distlock.LockLostException}
     */
    static @Nullable Object run(LockOperation operation, LockRequest request, CallContext.Body body) throws Throwable {
        LockClient client = operation.client();
        Optional<HeldLock> outer = CallContext.covering(client, request);
        if (outer.isPresent()) {
            return CallContext.under(client, outer.get(), body);
        }
        // Outside the try: an exception of the acquisition must not be taken for one of the body, nor the reverse.
        Optional<HeldLock> acquired = acquire(operation, request);
        if (acquired.isEmpty()) {
            return operation.results().skipped();
        }
        // Leaving the block releases; a loss is thrown, or suppressed into what the body threw.
        try (HeldLock lock = acquired.get()) {
            return CallContext.under(client, lock, body);
        }
    }

    /** Empty only where another holds the lock and the call is to be skipped. */
    private static Optional<HeldLock> acquire(LockOperation operation, LockRequest request) {
        LockClient client = operation.client();
        return switch (operation.onNotAcquired()) {
            case THROW -> Optional.of(client.acquire(request));
            case SKIP -> client.tryAcquire(request);
        };
    }
}
