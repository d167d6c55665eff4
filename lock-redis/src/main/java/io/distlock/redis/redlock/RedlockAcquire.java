package io.distlock.redis.redlock;

import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.redis.redlock.RedlockAcquirePhases.Step;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.RedisStore;
import io.distlock.redis.script.ScriptCall;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.AcquireLoop;
import io.distlock.support.TryLockStore.Result;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One try to take a lock from a majority, with its own owner. Asks all nodes at once. {@link RedlockAcquirePhases} decides
 * what the answers mean, and {@link VoteTimeouts} how long to wait for them. A try that ends without a grant is
 * withdrawn from each node that may have granted, however late.
 *
 * <p>The phases are guarded by this object's monitor; nodes, timers and callers are called outside it.
 */
final class RedlockAcquire implements RedlockAcquirePhases.Actions {

    private static final long SPREAD_NANOS = Duration.ofMillis(5).toNanos();

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private final String owner;
    private final RedisKeys.Names names;
    private final Moment since;
    private final VoteTimeouts timeouts;
    private final List<CompletableFuture<Vote>> asked;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final RedlockAcquirePhases phases;

    /** How a try ended. */
    sealed interface Outcome {

        record Decided(Result result) implements Outcome {}

        /** Nobody is known to have a majority: the votes were split, or are unknown. */
        record Undecided(String why, Duration took) implements Outcome {}
    }

    /** @param owner a new one for each try, or the withdrawal of one could undo the next */
    RedlockAcquire(RedlockNodes nodes, LeaseRequest request, String owner, VoteTimeouts timeouts) {
        this.nodes = nodes;
        this.request = request;
        this.owner = owner;
        this.names = nodes.get(0).alone().keys().of(request.key());
        this.since = nodes.runtime().ticker().now();
        this.timeouts = timeouts;
        this.asked =
                nodes.all().stream().map(node -> new CompletableFuture<Vote>()).toList();
        this.phases = new RedlockAcquirePhases(nodes.quorum(), nodes.runIds(), this::leaseUnder);
    }

    private RedlockLease leaseUnder(long token) {
        return new RedlockLease(request.owner(), RedisStore.lease(request, names, owner, token, Duration.ZERO));
    }

    /**
     * Asks all nodes. The stage does not fail, and ends in bounded time. Starts at a different node for each owner: the node
     * asked last tends to have the largest counter, which the others learn only if it is among the first to answer.
     */
    CompletionStage<Outcome> start() {
        ScriptCall<List<Long>> question = nodes.get(0).question(request, names, owner);
        int start = Math.floorMod(owner.hashCode(), nodes.size());
        for (int step = 0; step < nodes.size(); step++) {
            int at = (start + step) % nodes.size();
            nodes.get(at).take(question).thenAccept(asked.get(at)::complete);
        }
        nodes.indexes().forEach(at -> asked.get(at).thenAccept(vote -> change(() -> phases.voted(at, vote))));
        limit(timeouts.first(), timeouts.whenMinorityIsDue(phases));
        return outcome;
    }

    /** Ends the try if it has not ended, and withdraws everything. */
    void abandon() {
        change(phases::abandoned);
    }

    private void change(Supplier<List<Step>> event) {
        List<Step> steps;
        synchronized (this) {
            steps = event.get();
        }
        steps.forEach(step -> step.by(this));
    }

    @Override
    public void limit(Duration time, Function<Duration, List<Step>> whenUp) {
        if (!outcome.isDone()) {
            nodes.runtime().timeouts().within(time, outcome).whenComplete((ended, failure) -> {
                if (failure instanceof TimeoutException) {
                    Duration waited = nodes.elapsed(since);
                    change(() -> whenUp.apply(waited));
                }
            });
        }
    }

    @Override
    public void limitConfirming() {
        limit(timeouts.toConfirm(since, nodes.runtime().ticker().nanos()), waited -> phases.unconfirmed());
    }

    @Override
    public void raise(int node, RedisLease entry, long proposed) {
        nodes.get(node).raise(entry, proposed).whenComplete((done, never) -> change(() -> phases.raised(node, done)));
    }

    @Override
    public void withdrawUnlessReleased(int node, RedlockLease lease) {
        // The release usually finds the vote: it was sent later on the same connection.
        lease.releaseOn(node).thenAccept(release -> {
            if (release == Release.NOT_OWNER) {
                withdraw(nodes.get(node), false);
            }
        });
    }

    @Override
    public void grant(RedlockLease lease) {
        nodes.indexes().forEach(at -> asked.get(at).thenAccept(vote -> withdrawClaim(nodes.get(at), vote)));
        outcome.complete(new Outcome.Decided(new Result.Granted(new Grant(lease, since))));
    }

    /** Where readers refused a writer, in this try or before, new ones still let it pass. */
    private void withdrawClaim(RedlockNode node, Vote vote) {
        if (request.mode() == LockMode.EXCLUSIVE && vote instanceof Vote.Refused) {
            node.withdraw(request, request.owner(), false);
        }
    }

    @Override
    public void restore(int node, RedlockLease lease) {
        new RedlockRenewal.Restoration(nodes, node, List.of(lease)).afterGrant(since, request.options());
    }

    @Override
    public void takeBack(int node, RedlockLease lease) {
        lease.releaseLater(nodes, node, request.timeToLive(), () -> Duration.ZERO);
    }

    @Override
    public void refuse(Refusals refusals, List<String> said, boolean quietly) {
        IntPredicate quietlyFrom = at -> quietly || hasAnswered(at);
        if (refusals.isHeld()) {
            // Waiters for the same expiry do not all try at once.
            Duration spread = Duration.ofNanos(ThreadLocalRandom.current().nextLong(SPREAD_NANOS));
            Duration freeIn =
                    refusals.freeIn().orElse(AcquireLoop.LONGEST_PAUSE).plus(spread);
            end(new Outcome.Decided(new Result.Refused(Optional.of(freeIn))), quietlyFrom);
            return;
        }
        String why = refusals.isSplit()
                ? "the votes of " + nodes.size()
                        + " nodes were split repeatedly: several clients asked at the same time, and none got a"
                        + " majority"
                : "it is unknown who holds '" + request.key() + "': only " + refusals.answers() + " of " + nodes.size()
                        + " nodes answered" + listed(said);
        end(new Outcome.Undecided(why, nodes.elapsed(since)), quietlyFrom);
    }

    @Override
    public void fail(String why, List<String> said, boolean quietly) {
        Result failed = new Result.Failed(new RedisCallException(why + listed(said), false), false);
        end(new Outcome.Decided(failed), at -> quietly);
    }

    private String listed(List<String> said) {
        return nodes.indexes()
                .mapToObj(at -> nodes.get(at).name() + ": " + said.get(at))
                .collect(Collectors.joining(", ", " (", ")"));
    }

    private boolean hasAnswered(int node) {
        Vote vote = asked.get(node).getNow(null);
        return vote instanceof Vote.Granted || vote instanceof Vote.Refused;
    }

    private void end(Outcome attempt, IntPredicate quietlyFrom) {
        nodes.indexes().forEach(at -> withdrawOnceKnown(nodes.get(at), asked.get(at), quietlyFrom.test(at)));
        outcome.complete(attempt);
    }

    /** Waits for the answer, which may be a grant; a silent node is asked until the outcome is certain. */
    private void withdrawOnceKnown(RedlockNode node, CompletionStage<Vote> vote, boolean quietly) {
        nodes.runtime().timeouts().within(nodes.callTimeout(), vote).whenComplete((known, timeout) -> {
            if (known instanceof Vote.Granted) {
                withdraw(node, quietly);
            } else if (timeout != null
                    || (known instanceof Vote.Silent silent && silent.cause().mayBeApplied())) {
                reap(node, quietly);
            }
        });
    }

    private void withdraw(RedlockNode node, boolean quietly) {
        node.withdraw(request, owner, quietly).thenAccept(release -> {
            if (release == Release.UNKNOWN) {
                reap(node, quietly);
            }
        });
    }

    private void reap(RedlockNode node, boolean quietly) {
        nodes.reap(
                "A vote for '" + request.key() + "' to " + owner,
                node,
                request.timeToLive(),
                () -> node.withdraw(request, owner, quietly));
    }
}
