package io.distlock.redis;

import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One try to take a lock from a majority, as an owner of its own. All nodes are asked at once; it is decided as soon as a
 * majority has granted, or can no longer. If the proposed fencing tokens differ, a majority has to raise its counters to
 * the largest. Whatever ends without a grant is withdrawn from each node that may have granted, however late its answer.
 *
 * <p>State is guarded by this object's monitor; nothing foreign is called while it is held.
 */
final class QuorumAttempt {

    private static final Runnable NOTHING = () -> {};

    private enum Phase {
        /** Votes and proposals come in. */
        PROPOSING,
        /** A majority has granted; its counters are being raised. */
        RAISING,
        GRANTED,
        OVER
    }

    private final RedlockNodes nodes;
    private final LeaseRequest request;
    private final String owner;
    private final Function<Refusals, Optional<Duration>> nextTry;
    private final Moment since;
    private final Duration voteTimeout;
    private final List<CompletableFuture<NodeVote>> asked = new ArrayList<>();
    private final CompletableFuture<Attempt> outcome = new CompletableFuture<>();

    private final @Nullable NodeVote[] votes;
    private final boolean[] connecting;
    private final boolean[] raising;
    private final boolean[] confirmed;
    private Phase phase = Phase.PROPOSING;
    private @Nullable RedisLease entry;
    private @Nullable RedlockLease lease;

    /**
     * @param owner as whom to ask; another one at each try, or the withdrawal of one could undo the next
     * @param nextTry when to try again after a refusal
     */
    QuorumAttempt(
            RedlockNodes nodes,
            LeaseRequest request,
            String owner,
            Function<Refusals, Optional<Duration>> nextTry) {
        this.nodes = nodes;
        this.request = request;
        this.owner = owner;
        this.nextTry = nextTry;
        this.since = nodes.runtime().ticker().now();
        this.voteTimeout = nodes.voteTimeout(request.options().leaseTime());
        this.votes = new NodeVote[nodes.size()];
        this.connecting = new boolean[nodes.size()];
        this.raising = new boolean[nodes.size()];
        this.confirmed = new boolean[nodes.size()];
    }

    /** Asks all nodes. The stage does not fail, and ends in bounded time. */
    CompletionStage<Attempt> start() {
        for (int at = 0; at < nodes.size(); at++) {
            connecting[at] = !nodes.get(at).calls().isConnected();
            asked.add(nodes.get(at).take(request, owner));
        }
        for (int at = 0; at < nodes.size(); at++) {
            int node = at;
            asked.get(at).whenComplete((vote, never) -> change(() -> voted(node, vote)));
        }
        limit(voteTimeout, () -> votesAreDue(false));
        return outcome;
    }

    /** Ends it, if it has not ended, and takes everything back. */
    void abandon() {
        change(() -> phase == Phase.OVER ? NOTHING : end(new Attempt.Failed(failure("it was given up"), false), false));
    }

    /** What is to be done is decided under the monitor, and done outside. */
    private void change(Change change) {
        Runnable next;
        synchronized (this) {
            next = change.decide();
        }
        next.run();
    }

    private interface Change {
        Runnable decide();
    }

    private void limit(Duration time, Change whenUp) {
        if (!outcome.isDone()) {
            nodes.runtime().timeouts().within(time, outcome).whenComplete((ended, failure) -> {
                if (failure instanceof TimeoutException) {
                    change(whenUp);
                }
            });
        }
    }

    // --- first phase ---

    private Runnable voted(int at, NodeVote vote) {
        votes[at] = vote;
        return switch (phase) {
            case PROPOSING -> decide();
            case RAISING -> vote instanceof NodeVote.Granted ? confirm(at) : checkConfirmed();
            case GRANTED -> votedLate(at, vote);
            case OVER -> NOTHING;
        };
    }

    /** Better held on all nodes, and under the same token; but not beyond its release, which may have come there first. */
    private Runnable votedLate(int at, NodeVote vote) {
        if (Objects.requireNonNull(lease).isGivenBack()) {
            return () -> withdraw(nodes.get(at), asked.get(at), false);
        }
        return vote instanceof NodeVote.Granted ? confirm(at) : NOTHING;
    }

    private Runnable decide() {
        return switch (ballot().verdict()) {
            case OPEN -> NOTHING;
            case GRANTED ->
                // What two votes of one server amount to may be known by now.
                nodes.runIds().clash().isEmpty() ? granted() : end(new Attempt.Failed(failure("two nodes are the same server"), false), false);
            case REFUSED -> refused();
            case UNAVAILABLE -> end(new Attempt.Failed(failure("a majority of " + nodes.size() + " nodes gave no vote"), false), false);
        };
    }

    private Ballot ballot() {
        Ballot ballot = Ballot.of(nodes.quorum());
        for (NodeVote vote : votes) {
            if (vote instanceof NodeVote.Granted) {
                ballot = ballot.plusGranted();
            } else if (vote instanceof NodeVote.Refused) {
                ballot = ballot.plusRefused();
            } else if (vote instanceof NodeVote.Silent) {
                ballot = ballot.plusSilent();
            }
        }
        return ballot;
    }

    /**
     * @param all also of nodes that had to be connected to: that takes longer than an answer, and is done once
     */
    private Runnable votesAreDue(boolean all) {
        boolean waiting = false;
        for (int at = 0; at < votes.length; at++) {
            if (votes[at] == null && (all || !connecting[at])) {
                Duration limit = connecting[at] ? nodes.callTimeout() : voteTimeout;
                votes[at] = new NodeVote.Silent(new CallFailure("no answer within " + limit.toMillis() + " ms", true));
            }
            waiting |= votes[at] == null;
        }
        if (phase != Phase.PROPOSING) {
            return checkConfirmed();
        }
        Runnable next = decide();
        return phase == Phase.PROPOSING && waiting
                ? () -> limit(nodes.callTimeout().minus(voteTimeout), () -> votesAreDue(true))
                : next;
    }

    // --- second phase ---

    private Runnable granted() {
        List<Long> tokens = new ArrayList<>();
        for (NodeVote vote : votes) {
            if (vote instanceof NodeVote.Granted granted) {
                tokens.add(granted.token());
            }
        }
        Proposals proposals = new Proposals(nodes.quorum(), tokens);
        entry = nodes.get(0).entry(request, owner, proposals.token());
        phase = Phase.RAISING;
        List<Runnable> steps = new ArrayList<>();
        for (int at = 0; at < votes.length; at++) {
            if (votes[at] instanceof NodeVote.Granted) {
                steps.add(confirm(at));
            }
        }
        if (phase == Phase.RAISING) {
            steps.add(() -> limit(voteTimeout, this::raisingIsDue));
        }
        return () -> steps.forEach(Runnable::run);
    }

    private Runnable raisingIsDue() {
        return phase == Phase.RAISING ? raisingFailed() : NOTHING;
    }

    /** A node that proposed the token has a counter as large; any other is told to raise it. */
    private Runnable confirm(int at) {
        RedisLease granted = Objects.requireNonNull(entry);
        long proposed = ((NodeVote.Granted) Objects.requireNonNull(votes[at])).token();
        if (proposed == granted.token().value() || !nodes.secondPhase()) {
            confirmed[at] = true;
            return checkConfirmed();
        }
        raising[at] = true;
        return () -> nodes.get(at).raise(granted, proposed).whenComplete((done, never) -> change(() -> raised(at, done)));
    }

    private Runnable raised(int at, boolean done) {
        raising[at] = false;
        confirmed[at] = done;
        return checkConfirmed();
    }

    private Runnable checkConfirmed() {
        if (phase != Phase.RAISING) {
            return NOTHING;
        }
        int sure = 0;
        int open = 0;
        for (int at = 0; at < votes.length; at++) {
            if (confirmed[at]) {
                sure++;
            } else if (raising[at] || votes[at] == null || votes[at] instanceof NodeVote.Granted) {
                open++;
            }
        }
        if (sure >= nodes.quorum().majority()) {
            phase = Phase.GRANTED;
            RedlockLease granted = new RedlockLease(request.owner(), Objects.requireNonNull(entry));
            lease = granted;
            return () -> outcome.complete(new Attempt.Granted(new Grant(granted, since)));
        }
        return sure + open < nodes.quorum().majority() ? raisingFailed() : NOTHING;
    }

    private Runnable raisingFailed() {
        return end(new Attempt.Failed(failure("a majority of " + nodes.size() + " nodes did not confirm the fencing token in time"), false), false);
    }

    // --- the end without a grant ---

    private Runnable refused() {
        List<NodeVote.Refused> refusals = new ArrayList<>();
        for (NodeVote vote : votes) {
            if (vote instanceof NodeVote.Refused refused) {
                refusals.add(refused);
            }
        }
        Refusals all = new Refusals(nodes.quorum(), ballot().granted(), refusals);
        // Nobody can have taken this try for a holder that is worth waiting for: too many nodes refused it.
        return end(new Attempt.Refused(nextTry.apply(all)), all.isHeld());
    }

    private Runnable end(Attempt attempt, boolean quietly) {
        phase = Phase.OVER;
        return () -> {
            for (int at = 0; at < nodes.size(); at++) {
                withdraw(nodes.get(at), asked.get(at), quietly);
            }
            outcome.complete(attempt);
        };
    }

    private void withdraw(RedlockNode node, CompletableFuture<NodeVote> vote, boolean quietly) {
        nodes.runtime().timeouts().within(nodes.callTimeout(), vote).whenComplete((known, timeout) -> {
            if (known instanceof NodeVote.Granted) {
                node.withdraw(request, owner, quietly).thenAccept(release -> {
                    if (release == Release.UNKNOWN) {
                        reap(node, quietly);
                    }
                });
            } else if (timeout != null || (known instanceof NodeVote.Silent silent && silent.cause().mayBeApplied())) {
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

    private CallFailure failure(String what) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < votes.length; at++) {
            text.append(at == 0 ? "" : ", ").append(nodes.get(at).name()).append(": ").append(describe(votes[at]));
        }
        return new CallFailure(what + " (" + text + ')', false);
    }

    private static String describe(@Nullable NodeVote vote) {
        if (vote instanceof NodeVote.Silent silent) {
            return String.valueOf(silent.cause().getMessage());
        }
        return vote == null ? "open" : vote instanceof NodeVote.Granted ? "granted" : "refused";
    }

    @Override
    public String toString() {
        return owner + " " + Arrays.toString(votes);
    }
}
