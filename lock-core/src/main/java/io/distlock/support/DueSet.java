package io.distlock.support;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members with due times, and one timer for all, which moves only if a new member is due first. When it fires, the members
 * that are due, or within their slack, go to the handler in one list, on the scheduler's thread; it removes or reschedules
 * them. Members are compared by identity. Thread-safe.
 *
 * <p>The times are kept in a heap. A member that leaves or is rescheduled leaves an entry behind. It is dropped when
 * its time comes, or sooner if there are more such entries than there were members.
 *
 * @param <T> the kind of member
 */
public final class DueSet<T extends DueSet.Due> {

    /** Something with a due time. Called by any thread, even under a monitor. */
    public interface Due {

        /** On the ticker's monotonic clock. */
        long dueNanos();

        /** How much earlier it may be handled when another member is due anyway. */
        default long slackNanos() {
            return 0;
        }
    }

    /** This many entries are not swept, in case a few members come and go often. */
    private static final int NOT_SWEPT = 64;

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final Consumer<List<T>> handler;
    // Members do not override equals; a record among them would be a mistake.
    private final ConcurrentHashMap<T, Entry<T>> members = new ConcurrentHashMap<>();
    // Guarded by its own monitor, as are the three below it.
    private final PriorityQueue<Entry<T>> entries = new PriorityQueue<>((one, two) -> Long.signum(one.at - two.at));
    private int sweepAbove = NOT_SWEPT;
    private @Nullable Long wakesAt;
    private LockScheduler.Scheduled timer = () -> {};

    /** A member's due time when it was last asked. Void once the member has another entry, or has left. */
    private static final class Entry<T extends Due> {

        private final T member;
        private final long at;

        Entry(T member) {
            this.member = member;
            this.at = member.dueNanos();
        }
    }

    public DueSet(Ticker ticker, LockScheduler scheduler, Consumer<List<T>> handler) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.handler = handler;
    }

    public void add(T member) {
        synchronized (entries) {
            Entry<T> entry = new Entry<>(member);
            members.put(member, entry);
            push(entry);
            wakeBy(entry.at);
        }
    }

    /** True if it was a member. */
    public boolean remove(T member) {
        return members.remove(member) != null;
    }

    /** Call this when a member has become due earlier than it said before. */
    public void reconsider(T member) {
        synchronized (entries) {
            Entry<T> entry = members.get(member);
            // A member now with the handler is asked again afterwards.
            if (entry != null && member.dueNanos() - entry.at < 0) {
                replace(entry);
                wakeBy(member.dueNanos());
            }
        }
    }

    /** All members, as a live view. */
    public Collection<T> members() {
        return Collections.unmodifiableSet(members.keySet());
    }

    int noted() {
        synchronized (entries) {
            return entries.size();
        }
    }

    private void round() {
        List<Entry<T>> due = takeDue();
        try {
            if (!due.isEmpty()) {
                handler.accept(due.stream().map(entry -> entry.member).toList());
            }
        } finally {
            synchronized (entries) {
                due.forEach(this::replace);
                Entry<T> next = first();
                if (next != null) {
                    wakeBy(next.at);
                }
            }
        }
    }

    private List<Entry<T>> takeDue() {
        List<Entry<T>> due = new ArrayList<>();
        synchronized (entries) {
            wakesAt = null;
            long now = ticker.nanos();
            for (Entry<T> next = first(); next != null && isDue(next.at, next, now); next = first()) {
                entries.remove();
                if (isDue(next.member.dueNanos(), next, now)) {
                    due.add(next);
                } else {
                    replace(next);
                }
            }
        }
        return due;
    }

    private boolean isDue(long at, Entry<T> entry, long now) {
        return at - entry.member.slackNanos() - now <= 0;
    }

    /** The first entry that is not void. */
    private @Nullable Entry<T> first() {
        while (!entries.isEmpty() && !isCurrent(entries.element())) {
            entries.remove();
        }
        return entries.peek();
    }

    private boolean isCurrent(Entry<T> entry) {
        return members.get(entry.member) == entry;
    }

    /** Asks a member again, unless it has left. */
    private void replace(Entry<T> earlier) {
        Entry<T> entry = new Entry<>(earlier.member);
        if (members.replace(earlier.member, earlier, entry)) {
            push(entry);
        }
    }

    private void push(Entry<T> entry) {
        entries.add(entry);
        if (entries.size() > sweepAbove) {
            entries.removeIf(each -> !isCurrent(each));
            sweepAbove = 2 * entries.size() + NOT_SWEPT;
        }
    }

    private void wakeBy(long nanos) {
        if (wakesAt == null || nanos - wakesAt < 0) {
            Duration delay = Duration.ofNanos(Math.max(0, nanos - ticker.nanos()));
            LockScheduler.Scheduled earlier = scheduler.schedule(this::round, delay);
            // No effect if it has begun: its round then finds nothing, or sets a new timer.
            timer.cancel();
            timer = earlier;
            wakesAt = nanos;
        }
    }
}
