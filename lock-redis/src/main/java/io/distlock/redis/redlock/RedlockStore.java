package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.Backoff;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The nodes as one acquisition sees them: numbers its tries, withdraws those that failed, and says when to try again.
 *
 * <p>Contenders that split the votes all withdraw, and would collide again: each pauses for a random time, which grows
 * with the number of split votes and the duration of a try. State is guarded by this object's monitor.
 */
final class RedlockStore implements TryLockStore {

    private static final Backoff SPLIT = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500));

    /** Waiters for the same expiry do not all try at once. */
    private static final long SPREAD_NANOS = Duration.ofMillis(5).toNanos();

    /** The nodes publish a release one after the other. */
    private static final long LISTENERS_SPREAD_NANOS = Duration.ofMillis(3).toNanos();

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private int tries;
    private int splits;
    private long startedNanos;
    /** The pause, if the last try split the votes with others. */
    private Optional<Duration> split = Optional.empty();
    /** Why that try failed. */
    private String why = "";

    private @Nullable RedlockAcquire current;

    RedlockStore(RedlockNodes nodes, LeaseRequest request) {
        this.nodes = nodes;
        this.request = request;
    }

    @Override
    public CompletionStage<Result> attempt(LeaseRequest same, boolean again) {
        if (!request.deadline().hasPassed()) {
            return tryOnce(nodes.callTimeout());
        }
        // The only attempt of a caller that does not wait: leaves time for the answers to the last try.
        Duration time = nodes.callTimeout().dividedBy(2);
        return tryUntilDecided(Deadline.in(time, nodes.runtime().ticker()));
    }

    /** A split vote is no refusal: each contender tries again until one has the lock. */
    private CompletionStage<Result> tryUntilDecided(Deadline end) {
        // It must end before its caller gives up, or the cause would not be reported.
        return tryOnce(end.remaining().plus(nodes.callTimeout().dividedBy(2))).thenCompose(attempt -> {
            Optional<Duration> pause;
            String splitBy;
            synchronized (this) {
                pause = split;
                splitBy = why;
            }
            return pause.isPresent() ? afterSplit(pause.get(), splitBy, end) : completed(attempt);
        });
    }

    private CompletionStage<Result> afterSplit(Duration pause, String splitBy, Deadline end) {
        if (pause.compareTo(end.remaining()) >= 0) {
            return failed(splitBy);
        }
        CompletableFuture<Void> paused = new CompletableFuture<>();
        nodes.runtime().scheduler().schedule(() -> paused.complete(null), pause);
        // If the process paused, the caller has given up: nothing would release what it took now.
        return paused.thenCompose(over -> end.hasPassed() ? failed(splitBy) : tryUntilDecided(end));
    }

    private static CompletionStage<Result> failed(String why) {
        return completed(new Result.Failed(new RedisCallException(why, false), false));
    }

    private static CompletionStage<Result> completed(Result attempt) {
        return CompletableFuture.completedFuture(attempt);
    }

    private CompletionStage<Result> tryOnce(Duration callTimeout) {
        synchronized (this) {
            split = Optional.empty();
        }
        Optional<String> clash = nodes.runIds().clash();
        if (clash.isPresent()) {
            // Asks again: the configuration may have been corrected.
            nodes.all().forEach(RedlockNode::identify);
            return failed(clash.get());
        }
        RedlockAcquire next;
        RedlockAcquire before;
        synchronized (this) {
            String owner = request.owner() + '.' + Integer.toString(tries++, Character.MAX_RADIX);
            next = new RedlockAcquire(nodes, request, owner, callTimeout, this::nextTry);
            before = current;
            current = next;
            startedNanos = nodes.runtime().ticker().nanos();
        }
        if (before != null) {
            // Its answer may have come too late.
            before.abandon();
        }
        return next.start();
    }

    private synchronized Optional<Duration> nextTry(Refusals refusals, String said) {
        if (refusals.isHeld()) {
            splits = 0;
            return refusals.freeIn()
                    .map(time -> time.plusNanos(ThreadLocalRandom.current().nextLong(SPREAD_NANOS)));
        }
        why = refusals.isSplit()
                ? "the votes of " + nodes.size() + " nodes were split repeatedly: several asked at the same time, and"
                        + " none got a majority"
                : "it is unknown who holds '" + request.key() + "': only " + refusals.answers() + " of " + nodes.size()
                        + " nodes answered" + said;
        long tookNanos = nodes.runtime().ticker().nanos() - startedNanos;
        long spread = ThreadLocalRandom.current().nextLong(2 * tookNanos + 1);
        split = Optional.of(SPLIT.pause(++splits).plusNanos(spread));
        return split;
    }

    /** Each try is withdrawn separately; a writer's claim among the waiters remains. */
    @Override
    public CompletionStage<Release> withdraw(LeaseRequest same) {
        RedlockAcquire last;
        synchronized (this) {
            last = current;
        }
        if (last != null) {
            last.abandon();
        }
        if (request.mode() == LockMode.EXCLUSIVE) {
            nodes.all().forEach(node -> node.withdraw(request, request.owner(), false));
        }
        return CompletableFuture.completedFuture(Release.RELEASED);
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        return new ReleaseListener(nodes, wake).open(key);
    }

    /**
     * Listens on all nodes; ready once a majority listens, since a release reaches a majority. The first message wakes
     * the waiter after a short random pause, in which the other nodes' arrive. Thread-safe.
     */
    private static final class ReleaseListener implements Subscription {

        private final RedlockNodes nodes;
        private final Runnable wake;
        private final AtomicBoolean waking = new AtomicBoolean();
        private final List<Subscription> made = new ArrayList<>();
        private final CompletableFuture<Subscription> standing = new CompletableFuture<>();
        private Tally tally;
        private boolean closed;

        ReleaseListener(RedlockNodes nodes, Runnable wake) {
            this.nodes = nodes;
            this.wake = wake;
            this.tally = Tally.of(nodes.quorum());
        }

        CompletionStage<Subscription> open(LockKey key) {
            for (RedlockNode node : nodes.all()) {
                node.alone().subscribe(key, this::heard).whenComplete(this::answered);
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

        private void heard() {
            if (waking.compareAndSet(false, true)) {
                Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(LISTENERS_SPREAD_NANOS));
                Runnable wakeNow = () -> {
                    waking.set(false);
                    wake.run();
                };
                nodes.runtime().scheduler().schedule(wakeNow, pause);
            }
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
}
