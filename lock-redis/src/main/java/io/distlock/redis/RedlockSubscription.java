package io.distlock.redis;

import io.distlock.LockKey;
import io.distlock.support.OneShotStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Listens for releases on all nodes; stands as soon as a majority listens, since a release reaches a majority, too. A
 * release is told by each node: the first message wakes, after a short random pause in which the others come in, and in
 * which another of those who wait may be faster than all the rest. Thread-safe.
 */
final class RedlockSubscription implements OneShotStore.Subscription {

    private static final long SPREAD_NANOS = Duration.ofMillis(3).toNanos();

    private final RedlockNodes nodes;
    private final Runnable wake;
    private final AtomicBoolean waking = new AtomicBoolean();
    private final List<OneShotStore.Subscription> made = new ArrayList<>();
    private final CompletableFuture<OneShotStore.Subscription> standing = new CompletableFuture<>();
    private Tally tally;
    private boolean closed;

    RedlockSubscription(RedlockNodes nodes, Runnable wake) {
        this.nodes = nodes;
        this.wake = wake;
        this.tally = Tally.of(nodes.quorum());
    }

    CompletionStage<OneShotStore.Subscription> open(LockKey key) {
        for (RedlockNode node : nodes.all()) {
            node.subscribe(key, this::heard).whenComplete(this::answered);
        }
        return standing;
    }

    private void answered(OneShotStore.@Nullable Subscription subscription, @Nullable Throwable failure) {
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

    private void heard() {
        if (waking.compareAndSet(false, true)) {
            Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(SPREAD_NANOS));
            nodes.runtime().scheduler().schedule(this::wakeNow, pause);
        }
    }

    private void wakeNow() {
        waking.set(false);
        wake.run();
    }

    @Override
    public void close() {
        List<OneShotStore.Subscription> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(made);
            made.clear();
        }
        ended.forEach(OneShotStore.Subscription::close);
    }
}
