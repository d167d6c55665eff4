package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.AcquireLoop;
import io.distlock.support.Backoff;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The nodes as one acquisition sees them: numbers its tries, withdraws those that failed, and says when to try again.
 *
 * <p>Contenders that split the votes all withdraw. So that they do not collide again, each pauses for a random time, which
 * grows with the number of split votes and the duration of a try, and from then on asks one node before the others: only
 * one contender gets past it. The refused ones wait for that node's next message. Since it may have a vote that a dead
 * client left, they ask all nodes unless it has named the owner whom a majority has named.
 *
 * <p>State is guarded by this object's monitor.
 */
final class RedlockStore implements TryLockStore {

    private static final OptionalLong READERS = OptionalLong.of(Vote.Refused.READERS);
    private static final Backoff SPLIT = new Backoff(Duration.ofMillis(2), Duration.ofMillis(500));

    /** How many tries in a row begin at one node: it may be the only one that has lost the lock. */
    private static final int MOST_AT_ONE = 2;

    /** How long a contender waits that one node has refused, before it asks all; at most twice that. */
    private static final Duration UNTIL_ALL = Duration.ofMillis(100);

    /** Waiters for the same expiry do not all try at once. */
    private static final Duration SPREAD = Duration.ofMillis(5);

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private int tries;
    private int splits;
    private long startedNanos;
    /** Whether the next try begins at one node. */
    private boolean nextAtOne;

    private boolean atOne;
    private boolean woken;
    private boolean afterMessage;
    /** Whom a majority has named last. */
    private OptionalLong holder = OptionalLong.empty();
    /** Until when a majority has said the holder has the lock, unless it renews it. */
    private Deadline holderUntil;
    /** Whom only the node that is asked first has named. */
    private OptionalLong atFirst = OptionalLong.empty();
    /** The pause, if the last try split the votes with others. */
    private Optional<Duration> split = Optional.empty();

    private String why = "";

    private @Nullable RedlockAcquire current;
    private @Nullable RedlockReleaseListener listener;

    RedlockStore(RedlockNodes nodes, LeaseRequest request) {
        this.nodes = nodes;
        this.request = request;
        this.holderUntil = request.deadline();
        this.nextAtOne = nodes.contention().isOn(request.key());
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
            Duration pause;
            CompletionStage<Result> failed;
            synchronized (this) {
                if (split.isEmpty()) {
                    return CompletableFuture.completedFuture(attempt);
                }
                pause = split.get();
                failed = failed(why);
            }
            if (pause.compareTo(end.remaining()) >= 0) {
                return failed;
            }
            CompletableFuture<Void> paused = new CompletableFuture<>();
            nodes.runtime().scheduler().schedule(() -> paused.complete(null), pause);
            // If the process paused, the caller has given up: nothing would release what it took now.
            return paused.thenCompose(over -> end.hasPassed() ? failed : tryUntilDecided(end));
        });
    }

    private static CompletionStage<Result> failed(String why) {
        return CompletableFuture.completedFuture(new Result.Failed(new RedisCallException(why, false), false));
    }

    private static Duration random(Duration most) {
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most.toNanos()));
    }

    private CompletionStage<Result> tryOnce(Duration callTimeout) {
        Optional<String> clash = nodes.runIds().clash();
        if (clash.isPresent()) {
            // Asks again: the configuration may have been corrected.
            nodes.all().forEach(RedlockNode::identify);
            synchronized (this) {
                split = Optional.empty();
            }
            return failed(clash.get());
        }
        OptionalInt first = nodes.first(request.key());
        RedlockAcquire next;
        RedlockAcquire before;
        boolean one;
        synchronized (this) {
            String owner = request.owner() + '.' + Integer.toString(tries++, Character.MAX_RADIX);
            next = new RedlockAcquire(nodes, request, owner, callTimeout, this);
            before = current;
            current = next;
            startedNanos = nodes.runtime().ticker().nanos();
            split = Optional.empty();
            // Readers do not keep each other out, and all nodes must know of a writer that waits for them. The last try
            // finds out whether a majority is up.
            boolean last =
                    request.deadline().remaining().compareTo(nodes.callTimeout().dividedBy(4)) <= 0;
            one = nextAtOne && first.isPresent() && !holder.equals(READERS) && !last;
            atOne = one;
            nextAtOne = false;
            afterMessage = woken;
            woken = false;
        }
        if (before != null) {
            // Its answer may have come too late.
            before.abandon();
        }
        return one ? next.startAt(first.getAsInt()) : next.start();
    }

    /** When to try again after the node that was asked first has refused. */
    synchronized Optional<Duration> nextTry(Vote.Refused refused) {
        nodes.contention().seen(request.key());
        Optional<Duration> freeIn = refused.freeIn().map(RedlockStore::spread);
        if (refused.holder() == Vote.Refused.READERS) {
            holder = READERS;
            return Optional.of(spread(Duration.ZERO));
        }
        OptionalLong named = OptionalLong.of(refused.holder());
        Duration left = holderUntil.remaining();
        if (!afterMessage && holder.equals(named) && !left.isZero()) {
            return Optional.of(untilReleased(
                    freeIn.filter(time -> time.compareTo(left) < 0).orElse(left)));
        }
        boolean unchanged = atFirst.equals(named);
        atFirst = named;
        if (afterMessage && unchanged) {
            // Others have the lock in turn. Each of their messages would put off the time when all nodes are asked.
            return Optional.of(spread(Duration.ZERO));
        }
        Duration all = UNTIL_ALL.plus(random(UNTIL_ALL));
        return Optional.of(freeIn.filter(time -> time.compareTo(all) < 0).orElse(all));
    }

    private static Duration spread(Duration time) {
        return time.plus(random(SPREAD));
    }

    /** When to try again after enough nodes have refused. */
    synchronized Optional<Duration> nextTry(Refusals refusals, String said) {
        nodes.contention().seen(request.key());
        holder = refusals.holder();
        // The first node has granted it: the holder's release is on its way to the others.
        boolean early = atOne && refusals.granted() > 0 && splits < MOST_AT_ONE;
        if (holder.isPresent() && !early) {
            splits = 0;
            Duration freeIn = refusals.freeIn().orElse(AcquireLoop.LONGEST_PAUSE);
            Deadline end = request.deadline();
            holderUntil = freeIn.compareTo(end.remaining()) < 0
                    ? Deadline.in(freeIn, nodes.runtime().ticker())
                    : end;
            return Optional.of(untilReleased(spread(freeIn)));
        }
        why = refusals.isSplit()
                ? "the votes of " + nodes.size()
                        + " nodes were split repeatedly: several clients asked at the same time, and"
                        + " none got a majority"
                : "it is unknown who holds '" + request.key() + "': only " + refusals.answers() + " of " + nodes.size()
                        + " nodes answered" + said;
        Duration took = Duration.ofNanos(nodes.runtime().ticker().nanos() - startedNanos + 1);
        split = Optional.of(SPLIT.pause(++splits).plus(random(took.multipliedBy(2))));
        nextAtOne = splits <= MOST_AT_ONE;
        return split;
    }

    /** Only a holder's next message ends this wait early, and that may have come during the try. */
    private Duration untilReleased(Duration freeIn) {
        nextAtOne = true;
        if (listener == null || !listener.awaitsAnother(startedNanos)) {
            return freeIn;
        }
        woken = true;
        return spread(Duration.ZERO);
    }

    /** The first node may be the only one that has missed a release. */
    private synchronized void askAll() {
        nextAtOne = false;
    }

    private synchronized void nextAtOne(boolean message) {
        nextAtOne = true;
        woken = message;
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
        nextAtOne(false);
        Runnable wakeUp = () -> {
            nextAtOne(true);
            wake.run();
        };
        RedlockReleaseListener made = new RedlockReleaseListener(nodes, key, wakeUp, this::askAll);
        synchronized (this) {
            listener = made;
        }
        return made.open();
    }
}
