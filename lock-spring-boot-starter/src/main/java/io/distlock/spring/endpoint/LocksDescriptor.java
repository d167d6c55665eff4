package io.distlock.spring.endpoint;

import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The locks of this instance. {@code docs/operating.md} explains each field of these records. */
record LocksDescriptor(Page<Held> held, Page<Waiting> waiting, List<Loss> losses) implements OperationResponseBody {

    record Held(
            String name,
            @Nullable String key,
            String id,
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
            String id,
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
            @Nullable String instance,
            String owner,
            boolean here,
            @Nullable Long token,
            @Nullable Long remainingMillis) {}

    /** What the store answered to a forced release. */
    record ForcedRelease(Release release) implements OperationResponseBody {}

    /** A page of a longer list. */
    record Page<T>(int total, int offset, List<T> items) {

        static <T> Page<T> of(Stream<T> all, Comparator<? super T> order, int offset, int limit) {
            List<T> sorted = all.sorted(order).toList();
            return new Page<>(
                    sorted.size(),
                    offset,
                    sorted.stream().skip(offset).limit(limit).toList());
        }

        <R> Page<R> map(Function<T, R> mapper) {
            return new Page<>(total, offset, items.stream().map(mapper).toList());
        }
    }
}
