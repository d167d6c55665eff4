package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.support.TryLockStore.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
    private final AtomicBoolean waking = new AtomicBoolean();
    private final List<Subscription> made = new ArrayList<>();
    private final CompletableFuture<Subscription> standing = new CompletableFuture<>();
    private Tally tally;
    private boolean closed;
    private volatile long wokenNanos;

    RedlockReleaseListener(RedlockNodes nodes, LockKey key, Runnable wake) {
        this.nodes = nodes;
        this.key = key;
        this.wake = wake;
        this.tally = Tally.of(nodes.quorum());
        this.wokenNanos = now() - FOR_ONE_RELEASE_NANOS;
    }

    CompletionStage<Subscription> open() {
        for (int at = 0; at < nodes.size(); at++) {
            int node = at;
            nodes.get(at).alone().subscribe(key, () -> heard(node)).whenComplete(this::answered);
        }
        return standing;
    }

    private void answered(@Nullable Subscription subscription, @Nullable Throwable failure) {
        Tally.Verdict verdict;
        boolean late;
        synchronized (this) {
            late = closed;
            if (subscription != null && !late) {
                made.add(subscription);
            }
            tally = subscription == null ? tally.plusUnknown() : tally.plusYes();
            verdict = tally.verdict();
        }
        if (late && subscription != null) {
            subscription.close();
        } else if (verdict == Tally.Verdict.YES) {
            standing.complete(this);
        } else if (verdict == Tally.Verdict.UNKNOWN && failure != null && standing.completeExceptionally(failure)) {
            close();
        }
    }

    private void heard(int node) {
        if (node == nodes.first(key)) {
            wokenNanos = now();
            wake.run();
        } else if (isNews() && waking.compareAndSet(false, true)) {
            Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(MOST_PAUSE_NANOS));
            nodes.runtime().scheduler().schedule(this::wakeUnlessWoken, pause);
        }
    }

    private void wakeUnlessWoken() {
        waking.set(false);
        if (isNews()) {
            wokenNanos = now();
            wake.run();
        }
    }

    private boolean isNews() {
        return now() - wokenNanos >= FOR_ONE_RELEASE_NANOS;
    }

    private long now() {
        return nodes.runtime().ticker().nanos();
    }

    @Override
    public void close() {
        List<Subscription> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(made);
            made.clear();
        }
        ended.forEach(Subscription::close);
    }
}
