package io.distlock.spring.endpoint;

import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
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

        /** Keeps only the items up to the end of the page. */
        static <T> Page<T> of(Stream<T> all, Comparator<? super T> order, int offset, int limit) {
            // The head is the last item: a better one evicts it.
            PriorityQueue<T> best = new PriorityQueue<>(order.reversed());
            AtomicInteger total = new AtomicInteger();
            all.forEach(item -> {
                total.incrementAndGet();
                best.add(item);
                if (best.size() > (long) offset + limit) {
                    best.remove();
                }
            });
            return new Page<>(
                    total.get(),
                    offset,
                    best.stream().sorted(order).skip(offset).toList());
        }

        <R> Page<R> map(Function<T, R> mapper) {
            return new Page<>(total, offset, items.stream().map(mapper).toList());
        }
    }
}
