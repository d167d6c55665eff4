package io.distlock.spring.endpoint;

import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The locks of this instance. {@code docs/operating.md} explains each field of these records. */
record LocksDescriptor(Longest<Held> held, Longest<Waiting> waiting, List<Loss> losses)
        implements OperationResponseBody {

    record Held(
            String name,
            @Nullable String key,
            int permit,
            String provider,
            LockMode mode,
            long token,
            String owner,
            Instant since,
            long heldMillis,
            long remainingMillis,
            int renewals,
            String thread) {}

    record Waiting(
            String name,
            @Nullable String key,
            int permits,
            String provider,
            LockMode mode,
            Instant since,
            long waitedMillis,
            long remainingMillis,
            String thread) {}

    record Loss(
            String name,
            @Nullable String key,
            String provider,
            LockMode mode,
            long token,
            Instant at,
            long heldMillis,
            long sinceRenewalMillis,
            LockLoss.Reason reason) {}

    /** What the store knows about one lock. */
    record Inspection(
            String name,
            @Nullable String key,
            String provider,
            boolean held,
            @Nullable LockMode mode,
            List<Holder> holders,
            @Nullable Integer waiters)
            implements OperationResponseBody {}

    record Holder(
            int permit,
            @Nullable String instance,
            String owner,
            boolean here,
            @Nullable Long token,
            @Nullable Long remainingMillis) {}

    /** What the store answered to a forced release. */
    record ForcedRelease(Release release) implements OperationResponseBody {}

    /** How many there are, and those that have lasted longest. */
    record Longest<T>(int total, List<T> items) {}
}
