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

/**
 * The locks of this instance.
 *
 * @param held what it holds, longest first
 * @param waiting the waiting calls, longest first
 * @param losses the latest locks that it lost, newest first
 */
public record LocksDescriptor(
        LocksDescriptor.Page<LocksDescriptor.Held> held,
        LocksDescriptor.Page<LocksDescriptor.Waiting> waiting,
        List<LocksDescriptor.Loss> losses)
        implements OperationResponseBody {

    /**
     * One held lock.
     *
     * @param name its name
     * @param key its key, if it has one
     * @param id its id in the path of an inspection
     * @param provider its provider
     * @param mode how it is held
     * @param token the fencing token
     * @param owner the owner value in the store
     * @param since when it was granted
     * @param heldMillis how long it has been held
     * @param remainingMillis how long it is valid without a renewal
     * @param renewals how often it has been extended
     * @param thread the thread that requested it
     */
    public record Held(
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

    /**
     * One waiting call.
     *
     * @param name the name of the lock
     * @param key its key, if it has one
     * @param id the lock's id in the path of an inspection
     * @param provider the lock's provider
     * @param mode the requested mode
     * @param since when the call began
     * @param waitedMillis how long it has waited
     * @param remainingMillis how much longer it will wait
     * @param thread the calling thread
     */
    public record Waiting(
            String name,
            @Nullable String key,
            String id,
            String provider,
            LockMode mode,
            Instant since,
            long waitedMillis,
            long remainingMillis,
            String thread) {}

    /**
     * One lost lock.
     *
     * @param name its name
     * @param key its key, if it has one
     * @param provider its provider
     * @param mode how it was held
     * @param token the fencing token
     * @param at when it was lost
     * @param heldMillis how long it had been held
     * @param sinceRenewalMillis time since it was last extended
     * @param reason why it was lost
     */
    public record Loss(
            String name,
            @Nullable String key,
            String provider,
            LockMode mode,
            long token,
            Instant at,
            long heldMillis,
            long sinceRenewalMillis,
            LockLoss.Reason reason) {}

    /**
     * What the store knows about one lock.
     *
     * @param name its name
     * @param key its key, if it has one
     * @param provider the lock's provider
     * @param mode how it is held
     * @param holders its holders: one, unless it is shared
     * @param waiters how many wait for it across all instances, if the store knows
     */
    public record Inspection(
            String name,
            @Nullable String key,
            String provider,
            LockMode mode,
            List<Holder> holders,
            @Nullable Integer waiters)
            implements OperationResponseBody {}

    /**
     * One holder.
     *
     * @param instance the application and instance that the owner value names, if it names one
     * @param owner the owner value
     * @param here whether it is this instance
     * @param token the fencing token, if it has one
     * @param remainingMillis until the store itself frees the lock, if it ever does
     */
    public record Holder(
            @Nullable String instance,
            String owner,
            boolean here,
            @Nullable Long token,
            @Nullable Long remainingMillis) {}

    /**
     * The outcome of a forced release.
     *
     * @param release what the store answered
     */
    public record ForcedRelease(Release release) implements OperationResponseBody {}

    /**
     * A page of a longer list.
     *
     * @param total the length of the list
     * @param offset how many items precede the page
     * @param items the items of the page
     */
    public record Page<T>(int total, int offset, List<T> items) {

        public Page {
            items = List.copyOf(items);
        }

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
