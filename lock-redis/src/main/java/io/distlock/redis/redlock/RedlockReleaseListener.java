package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.support.TryLockStore.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Listens on all nodes; ready once a majority listens, since a release reaches a majority. A message of the node that is
 * asked first wakes the waiter at once. Another's does so after a short random pause, if that node's does not come: it
 * may be down, or never have had the lock. Thread-safe.
 */
final class RedlockReleaseListener implements Subscription {

    /** The nodes publish a release one after the other. */
    private static final long FOR_ONE_RELEASE_NANOS = Duration.ofMillis(10).toNanos();

    private static final long MOST_PAUSE_NANOS = Duration.ofMillis(5).toNanos();

    private final RedlockNodes nodes;
    private final LockKey key;
    private final Runnable wake;
    private final Runnable hearsNothing;
    private final AtomicBoolean waking = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final List<CompletionStage<Subscription>> subscriptions = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Subscription> standing = new CompletableFuture<>();
    private Tally tally;
    private long wokenNanos;
    /** When a message came last that woke nobody. */
    private long unheededNanos;

    /** Also runs {@code hearsNothing} before a try that no message has caused. */
    RedlockReleaseListener(RedlockNodes nodes, LockKey key, Runnable wake, Runnable hearsNothing) {
        this.nodes = nodes;
        this.key = key;
        this.wake = wake;
        this.hearsNothing = hearsNothing;
        this.tally = Tally.of(nodes.quorum());
        this.wokenNanos = now() - FOR_ONE_RELEASE_NANOS;
        this.unheededNanos = wokenNanos;
    }

    CompletionStage<Subscription> open() {
        nodes.indexes().forEach(at -> {
            var subscribing = nodes.get(at).alone().subscribe(key, () -> heard(at));
            subscriptions.add(subscribing);
            subscribing.whenComplete(this::answered);
            // Also one that is made after the end.
            subscribing.thenAcceptBoth(closed, (made, over) -> made.close());
        });
        return standing;
    }

    private void answered(@Nullable Subscription subscription, @Nullable Throwable failure) {
        Tally.Verdict verdict;
        synchronized (this) {
            tally = subscription == null ? tally.plusUnknown() : tally.plusYes();
            verdict = tally.verdict();
        }
        if (verdict == Tally.Verdict.YES) {
            standing.complete(this);
        } else if (verdict == Tally.Verdict.UNKNOWN && failure != null && standing.completeExceptionally(failure)) {
            close();
        }
    }

    private void heard(int node) {
        boolean first = nodes.first(key).equals(OptionalInt.of(node));
        synchronized (this) {
            if (first) {
                wokenNanos = now();
            } else if (!isNews()) {
                unheededNanos = now();
                return;
            }
        }
        if (first) {
            wake.run();
        } else if (waking.compareAndSet(false, true)) {
            Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(MOST_PAUSE_NANOS));
            nodes.runtime().scheduler().schedule(this::wakeUnlessWoken, pause);
        }
    }

    private void wakeUnlessWoken() {
        waking.set(false);
        synchronized (this) {
            if (!isNews()) {
                return;
            }
            wokenNanos = now();
        }
        wake.run();
    }

    /**
     * From now on the waiter waits for another release than the one it was woken for.
     *
     * @param since when the try began that found out who holds the lock
     * @return whether a message has come since, and woken nobody
     */
    synchronized boolean awaitsAnother(long since) {
        wokenNanos = now() - FOR_ONE_RELEASE_NANOS;
        return unheededNanos - since >= 0;
    }

    private boolean isNews() {
        return now() - wokenNanos >= FOR_ONE_RELEASE_NANOS;
    }

    private long now() {
        return nodes.runtime().ticker().nanos();
    }

    @Override
    public void probe() {
        subscriptions.forEach(each -> each.thenAccept(Subscription::probe));
        hearsNothing.run();
    }

    @Override
    public void close() {
        closed.complete(null);
    }
}
