package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.support.TryLockStore.Subscription;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Listens on all nodes; ready once a majority listens, since a release reaches a majority, and at once if one does already. Each node announces each
 * release, so a waiter is woken when a majority of nodes has announced one more than before: the lock can be had then.
 * Where the holder and the waiter do not reach the same nodes, fewer announcements come, and those are heeded a little
 * later. Thread-safe.
 */
final class RedlockReleaseListener implements Subscription {

    /** The others announce the same release within this time, if they are well. */
    private static final Duration FOR_A_MAJORITY = Duration.ofMillis(20);

    private final RedlockNodes nodes;
    private final LockKey key;
    private final Runnable wake;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final List<CompletionStage<Subscription>> subscriptions = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Subscription> standing = new CompletableFuture<>();
    private Tally tally;
    /** How many releases each node has announced, and how many the waiter was woken for. */
    private final long[] announced;

    private long heeded;

    RedlockReleaseListener(RedlockNodes nodes, LockKey key, Runnable wake) {
        this.nodes = nodes;
        this.key = key;
        this.wake = wake;
        this.tally = Tally.of(nodes.quorum());
        this.announced = new long[nodes.quorum().nodes()];
    }

    CompletionStage<Subscription> open() {
        nodes.indexes().forEach(this::subscribe);
        return standing;
    }

    private void subscribe(int node) {
        var subscribing = nodes.get(node).alone().subscribe(key, () -> heard(node));
        subscriptions.add(subscribing);
        subscribing.whenComplete(this::answered);
        // Also one that is made after the end.
        subscribing.thenAcceptBoth(closed, (made, over) -> made.close());
    }

    /** Those of the nodes that stand already, if they are a majority. */
    static Optional<Subscription> join(RedlockNodes nodes, LockKey key, Runnable wake) {
        long listening =
                nodes.all().stream().filter(node -> node.alone().listensTo(key)).count();
        if (listening < nodes.quorum().majority()) {
            return Optional.empty();
        }
        RedlockReleaseListener listener = new RedlockReleaseListener(nodes, key, wake);
        List<Integer> silent =
                nodes.indexes().filter(node -> !listener.joins(node)).boxed().toList();
        if (nodes.quorum().nodes() - silent.size() < nodes.quorum().majority()) {
            listener.close();
            return Optional.empty();
        }
        silent.forEach(listener::subscribe);
        return Optional.of(listener);
    }

    private boolean joins(int node) {
        Optional<Subscription> joined = nodes.get(node).alone().join(key, () -> heard(node));
        joined.ifPresent(made -> {
            subscriptions.add(CompletableFuture.completedFuture(made));
            closed.thenRun(made::close);
        });
        return joined.isPresent();
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

    /** A node has announced a release, or may have done so while the connection to it was interrupted. */
    void heard(int node) {
        long release;
        long byMajority;
        synchronized (this) {
            release = ++announced[node];
            if (release <= heeded) {
                return;
            }
            byMajority = Arrays.stream(announced)
                    .sorted()
                    .toArray()[announced.length - nodes.quorum().majority()];
        }
        heed(byMajority);
        nodes.runtime().scheduler().schedule(() -> heedAlone(release), FOR_A_MAJORITY);
    }

    /**
     * Not all nodes announce the same: a connection that was interrupted announces, too. The others are taken to have announced this
     * release as well, so that later ones of theirs are not mistaken for it; one that does announce it late costs a try.
     */
    private void heedAlone(long release) {
        synchronized (this) {
            if (release <= heeded) {
                return;
            }
            Arrays.setAll(announced, node -> Math.max(announced[node], release));
        }
        heed(release);
    }

    private void heed(long release) {
        synchronized (this) {
            if (release <= heeded) {
                return;
            }
            heeded = release;
        }
        wake.run();
    }

    @Override
    public void probe() {
        subscriptions.forEach(each -> each.thenAccept(Subscription::probe));
    }

    @Override
    public void close() {
        closed.complete(null);
    }
}
