package io.distlock.redis.redlock;

import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.redis.redlock.RedlockAcquirePhases.Step;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.ScriptCall;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.TryLockStore.Result;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One try to take a lock from a majority, with its own owner. Asks all nodes at once. Where others contend, it asks one
 * node first: if that one refuses, the try has disturbed nobody; if it grants, the others propose the same token.
 * {@link RedlockAcquirePhases} decides what the answers mean, and {@link VoteTimeouts} how long to wait for them. A try that ends
 * without a grant is withdrawn from each node that may have granted, however late.
 *
 * <p>The phases are guarded by this object's monitor; nodes, timers and callers are called outside it.
 */
final class RedlockAcquire implements RedlockAcquirePhases.Actions {

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private final String owner;
    private final RedlockStore tries;
    private final Moment since;
    private final VoteTimeouts timeouts;
    private final CompletableFuture<Vote> notAsked = new CompletableFuture<>();
    private final List<CompletableFuture<Vote>> asked;
    /** Whether it is settled that all nodes are asked, or never will be. */
    private final AtomicBoolean settled = new AtomicBoolean();

    private final CompletableFuture<Result> outcome = new CompletableFuture<>();
    private final RedlockAcquirePhases phases;

    /**
     * @param owner a new one for each try, or the withdrawal of one could undo the next
     * @param tries knows when to try again after a refusal
     */
    RedlockAcquire(RedlockNodes nodes, LeaseRequest request, String owner, Duration callTimeout, RedlockStore tries) {
        this.nodes = nodes;
        this.request = request;
        this.owner = owner;
        this.tries = tries;
        this.since = nodes.runtime().ticker().now();
        this.timeouts = VoteTimeouts.of(request, callTimeout);
        this.asked = new CopyOnWriteArrayList<>(Collections.nCopies(nodes.size(), notAsked));
        this.phases = new RedlockAcquirePhases(nodes.quorum(), nodes.runIds(), this::leaseUnder);
    }

    private RedlockLease leaseUnder(long token) {
        return new RedlockLease(request.owner(), nodes.get(0).alone().lease(request, owner, token, Duration.ZERO));
    }

    /** Asks all nodes. The stage does not fail, and ends in bounded time. */
    CompletionStage<Result> start() {
        askTheRest(0);
        return outcome;
    }

    /** The same, but asks one node first, and the others if it grants the lock or is slow. */
    CompletionStage<Result> startAt(int first) {
        RedlockNode node = nodes.get(first);
        asked.set(first, node.take(node.question(request, owner, 0)));
        nodes.runtime().timeouts().within(timeouts.first(), asked.get(first)).whenComplete((vote, late) -> {
            if (vote instanceof Vote.Refused refused) {
                if (asksNoMore()) {
                    outcome.complete(new Result.Refused(tries.nextTry(refused)));
                }
            } else if (vote instanceof Vote.Granted granted) {
                askTheRest(granted.token());
            } else {
                node.wasSlow();
                askTheRest(0);
            }
        });
        return outcome;
    }

    /**
     * Starts at a different node for each owner: the node asked last tends to have the largest counter, which the
     * others learn only if it is among the first to answer.
     */
    private void askTheRest(long least) {
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        ScriptCall<List<Long>> question = nodes.get(0).question(request, owner, least);
        int start = Math.floorMod(owner.hashCode(), nodes.size());
        for (int step = 0; step < nodes.size(); step++) {
            int at = (start + step) % nodes.size();
            if (asked.get(at) == notAsked) {
                asked.set(at, nodes.get(at).take(question));
            }
        }
        nodes.indexes().forEach(at -> asked.get(at).thenAccept(vote -> change(() -> phases.voted(at, vote))));
        limit(timeouts.minority(), timeouts.whenMinorityIsDue(phases));
    }

    /** Ends the try if it has not ended, and withdraws everything. */
    void abandon() {
        asksNoMore();
        change(phases::abandoned);
    }

    private boolean asksNoMore() {
        return settled.compareAndSet(false, true)
                && notAsked.complete(new Vote.Silent(new RedisCallException("not asked", false)));
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
        outcome.complete(new Result.Granted(new Grant(lease, since)));
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
    public void refuse(Refusals refusals, List<String> said) {
        end(new Result.Refused(tries.nextTry(refusals, listed(said))), true);
    }

    @Override
    public void fail(String why, List<String> said, boolean quietly) {
        end(new Result.Failed(new RedisCallException(why + listed(said), false), false), quietly);
    }

    private String listed(List<String> said) {
        return nodes.indexes()
                .mapToObj(at -> nodes.get(at).name() + ": " + said.get(at))
                .collect(Collectors.joining(", ", " (", ")"));
    }

    private void end(Result attempt, boolean quietly) {
        nodes.indexes().forEach(at -> withdrawOnceKnown(nodes.get(at), asked.get(at), quietly));
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
