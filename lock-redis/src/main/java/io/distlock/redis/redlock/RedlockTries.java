package io.distlock.redis.redlock;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.RedlockAcquire.Outcome;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.Backoff;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The tries of one acquisition: numbers them, withdraws those that failed, and says when to try again. Contenders that
 * split the votes all withdraw, and each pauses for a random time, which grows with the number of split votes and the
 * duration of a try. State is guarded by this object's monitor.
 */
final class RedlockTries implements TryLockStore {

    private static final Backoff SPLIT = new Backoff(Duration.ofMillis(2), Duration.ofMillis(500));

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private int tries;
    private int splits;
    private Optional<RedlockAcquire> current = Optional.empty();

    RedlockTries(RedlockNodes nodes, LeaseRequest request) {
        this.nodes = nodes;
        this.request = request;
    }

    @Override
    public CompletionStage<Result> attempt(LeaseRequest same, boolean again) {
        if (!request.deadline().hasPassed()) {
            return tryOnce(nodes.callTimeout()).thenApply(this::result);
        }
        // The only attempt of a caller that does not wait: leaves time for the answers to the last try.
        Duration time = nodes.callTimeout().dividedBy(2);
        return tryUntilDecided(Deadline.in(time, nodes.runtime().ticker()));
    }

    /** A split vote is no refusal: each contender tries again until one has the lock. */
    private CompletionStage<Result> tryUntilDecided(Deadline end) {
        // It must end before its caller gives up, or the cause would not be reported.
        return tryOnce(end.remaining().plus(nodes.callTimeout().dividedBy(2))).thenCompose(outcome -> {
            if (!(outcome instanceof Outcome.Undecided split)) {
                return CompletableFuture.completedFuture(result(outcome));
            }
            CompletionStage<Result> failed = CompletableFuture.completedFuture(failed(split.why()));
            Duration pause = pause(split);
            if (pause.compareTo(end.remaining()) >= 0) {
                return failed;
            }
            CompletableFuture<Void> paused = new CompletableFuture<>();
            nodes.runtime().scheduler().schedule(() -> paused.complete(null), pause);
            // If the process paused, the caller has given up: nothing would release what it took now.
            return paused.thenCompose(over -> end.hasPassed() ? failed : tryUntilDecided(end));
        });
    }

    private static Result failed(String why) {
        return new Result.Failed(new RedisCallException(why, false), false);
    }

    private CompletionStage<Outcome> tryOnce(Duration callTimeout) {
        Optional<String> clash = nodes.runIds().clash();
        if (clash.isPresent()) {
            // Asks again: the configuration may have been corrected.
            nodes.all().forEach(RedlockNode::identify);
            return CompletableFuture.completedFuture(new Outcome.Decided(failed(clash.get())));
        }
        RedlockAcquire next;
        Optional<RedlockAcquire> before;
        synchronized (this) {
            VoteTimeouts timeouts = VoteTimeouts.of(request, callTimeout);
            String owner = request.owner() + '.' + Integer.toString(tries, Character.MAX_RADIX);
            next = new RedlockAcquire(nodes, request, owner, tries == 0 ? timeouts : timeouts.amongOthers(splits));
            tries++;
            before = current;
            current = Optional.of(next);
        }
        // Its answer may have come too late.
        before.ifPresent(RedlockAcquire::abandon);
        return next.start();
    }

    private Result result(Outcome outcome) {
        if (outcome instanceof Outcome.Undecided split) {
            return new Result.Refused(Optional.of(pause(split)));
        }
        synchronized (this) {
            splits = 0;
        }
        return ((Outcome.Decided) outcome).result();
    }

    private synchronized Duration pause(Outcome.Undecided split) {
        long twice = 2 * split.took().toNanos() + 1;
        return SPLIT.pause(++splits).plusNanos(ThreadLocalRandom.current().nextLong(twice));
    }

    /** Each try is withdrawn separately; a writer's claim among the waiters remains. */
    @Override
    public CompletionStage<Release> withdraw(LeaseRequest same) {
        Optional<RedlockAcquire> last;
        synchronized (this) {
            last = current;
        }
        last.ifPresent(RedlockAcquire::abandon);
        if (request.mode() == LockMode.EXCLUSIVE) {
            nodes.all().forEach(node -> node.withdraw(request, request.owner(), false));
        }
        return CompletableFuture.completedFuture(Release.RELEASED);
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        return new RedlockReleaseListener(nodes, key, wake).open();
    }

    @Override
    public Optional<Subscription> join(LockKey key, Runnable wake) {
        return RedlockReleaseListener.join(nodes, key, wake);
    }
}
