package io.distlock.redis;

import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.support.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One try to take a lock from a majority, as an owner of its own. All nodes are asked at once; it is decided as soon as a
 * majority has granted, or can no longer. If the proposed fencing tokens differ, a majority has to raise its counters to
 * the largest. Whatever ends without a grant is withdrawn from each node that may have granted, however late its answer.
 *
 * <p>State is guarded by this object's monitor; under it is decided what is to be done, which is done outside.
 */
final class QuorumAttempt {

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
    private final Withdrawal withdrawal;
    private final Moment since;
    private final Patience patience;
    private final List<CompletableFuture<NodeVote>> asked;
    private final CompletableFuture<Attempt> outcome = new CompletableFuture<>();

    private final Votes votes;
    private final boolean[] connecting;
    private final Confirmations confirmations;
    private Phase phase = Phase.PROPOSING;
    private @Nullable RedlockLease lease;

    /**
     * @param owner as whom to ask; another one at each try, or the withdrawal of one could undo the next
     * @param nextTry when to try again after a refusal
     */
    QuorumAttempt(
            RedlockNodes nodes, LeaseRequest request, String owner, Function<Refusals, Optional<Duration>> nextTry) {
        this.nodes = nodes;
        this.request = request;
        this.owner = owner;
        this.nextTry = nextTry;
        this.withdrawal = new Withdrawal(nodes, request, owner);
        this.since = nodes.runtime().ticker().now();
        this.patience = Patience.of(request, nodes.callTimeout());
        this.asked = new ArrayList<>(Collections.nCopies(nodes.size(), new CompletableFuture<>()));
        this.votes = new Votes(nodes.quorum());
        this.connecting = new boolean[nodes.size()];
        this.confirmations = new Confirmations(nodes.quorum());
    }

    /** Asks all nodes. The stage does not fail, and ends in bounded time. */
    CompletionStage<Attempt> start() {
        ask();
        for (int at = 0; at < nodes.size(); at++) {
            int node = at;
            asked.get(at).whenComplete((vote, never) -> change(() -> voted(node, vote)));
        }
        limit(patience.minority(), this::minorityIsDue);
        return outcome;
    }

    /**
     * Another one first for each owner: of counters that differ, the largest is that of the node that was asked last, and it
     * is learned by the others only if that node is among the first to answer. The same owner asks in the same order again,
     * and so is answered by the same majority.
     */
    private void ask() {
        Invocation<List<Long>> question = nodes.get(0).question(request, owner);
        int first = Math.floorMod(owner.hashCode(), nodes.size());
        for (int step = 0; step < nodes.size(); step++) {
            int at = (first + step) % nodes.size();
            connecting[at] = !nodes.get(at).calls().isConnected();
            asked.set(at, nodes.get(at).take(question));
        }
    }

    /** Ends it, if it has not ended, and takes everything back. */
    void abandon() {
        change(() -> phase == Phase.OVER ? List.of() : fail("it was given up"));
    }

    private void change(Supplier<List<Runnable>> change) {
        List<Runnable> steps;
        synchronized (this) {
            steps = change.get();
        }
        steps.forEach(Runnable::run);
    }

    private void limit(Duration time, Supplier<List<Runnable>> whenUp) {
        if (!outcome.isDone()) {
            nodes.runtime().timeouts().within(time, outcome).whenComplete((ended, failure) -> {
                if (failure instanceof TimeoutException) {
                    change(whenUp);
                }
            });
        }
    }

    // --- first phase ---

    private List<Runnable> voted(int at, NodeVote vote) {
        votes.set(at, vote);
        return switch (phase) {
            case PROPOSING -> decide();
            case RAISING -> votedWhileRaising(at);
            case GRANTED -> votedLate(at);
            case OVER -> List.of();
        };
    }

    private List<Runnable> votedWhileRaising(int at) {
        noteIfAbsent(at);
        return votes.isGranted(at) ? confirm(at) : checkConfirmed();
    }

    private void noteIfAbsent(int at) {
        if (votes.isWithoutEffect(at)) {
            Objects.requireNonNull(lease).absentFrom(at);
        }
    }

    private List<Runnable> decide() {
        return switch (votes.ballot().verdict()) {
            case OPEN -> List.of();
            case GRANTED -> granted();
            case REFUSED -> refused();
            case UNAVAILABLE -> fail("a majority of " + nodes.size() + " nodes gave no vote");
        };
    }

    /** Better held on all nodes, and under the same token; but not beyond its release, which may have come there first. */
    private List<Runnable> votedLate(int at) {
        noteIfAbsent(at);
        if (!votes.isGranted(at)) {
            return List.of();
        }
        RedlockLease granted = Objects.requireNonNull(lease);
        return granted.isGivenBack()
                ? List.of(() -> withdrawal.unlessReleased(nodes.get(at), granted.releaseOn(at)))
                : confirm(at);
    }

    /** Where a majority has said something, the others are not worth waiting for; where none has, there is no lock without. */
    private List<Runnable> minorityIsDue() {
        return isMajorityHeard()
                ? silenced(at -> true)
                : next(patience.majority().minus(patience.minority()), this::majorityIsDue);
    }

    private List<Runnable> majorityIsDue() {
        boolean heard = isMajorityHeard();
        List<Runnable> steps = silenced(at -> heard || !connecting[at]);
        return phase == Phase.PROPOSING && isConnecting()
                ? next(patience.connecting().minus(patience.majority()), () -> silenced(at -> true))
                : steps;
    }

    private boolean isMajorityHeard() {
        return votes.answers() >= nodes.quorum().majority();
    }

    private List<Runnable> next(Duration pause, Supplier<List<Runnable>> step) {
        return List.of(() -> limit(pause, step));
    }

    private boolean isConnecting() {
        return IntStream.range(0, nodes.size()).anyMatch(at -> connecting[at] && votes.isOpen(at));
    }

    /** Nodes that have not answered are counted as silent from now on. */
    private List<Runnable> silenced(IntPredicate which) {
        long waited =
                TimeUnit.NANOSECONDS.toMillis(since.elapsedNanos(nodes.runtime().ticker()));
        for (int at = 0; at < nodes.size(); at++) {
            if (votes.isOpen(at) && which.test(at)) {
                votes.set(at, new NodeVote.Silent(new CallFailure("no answer for " + waited + " ms", true)));
            }
        }
        return phase == Phase.PROPOSING ? decide() : checkConfirmed();
    }

    // --- second phase ---

    private List<Runnable> granted() {
        if (nodes.runIds().clash().isPresent()) {
            return fail(nodes.runIds().clash().get());
        }
        lease = new RedlockLease(
                request.owner(),
                nodes.get(0).entry(request, owner, votes.proposals().token()));
        phase = Phase.RAISING;
        for (int at = 0; at < nodes.size(); at++) {
            if (votes.isGranted(at)) {
                confirmations.await(at);
            }
            noteIfAbsent(at);
        }
        List<Runnable> steps = new ArrayList<>();
        for (int at = 0; at < nodes.size(); at++) {
            if (votes.isGranted(at)) {
                steps.addAll(confirm(at));
            }
        }
        if (phase == Phase.RAISING) {
            Duration left = patience.toConfirm(since, nodes.runtime().ticker().nanos());
            steps.add(() -> limit(left, () -> phase == Phase.RAISING ? unconfirmed() : List.of()));
        }
        return steps;
    }

    /**
     * A node that proposed the token has a counter as large; one that proposed less is told to raise it. One whose larger
     * proposal came after the token had been chosen is told the token, but does not count: it may have confirmed that very
     * token to the owner before.
     */
    private List<Runnable> confirm(int at) {
        RedisLease entry = Objects.requireNonNull(lease).entry();
        long proposed = votes.proposal(at);
        long token = entry.token().value();
        if (proposed == token || !nodes.secondPhase()) {
            return raised(at, true);
        }
        if (proposed < token) {
            confirmations.await(at);
        } else {
            confirmations.ignore(at);
        }
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> nodes.get(at)
                .raise(entry, proposed)
                .whenComplete((done, never) -> change(() -> raised(at, done && proposed < token))));
        steps.addAll(checkConfirmed());
        return steps;
    }

    private List<Runnable> raised(int at, boolean done) {
        confirmations.answered(at, done);
        return checkConfirmed();
    }

    private List<Runnable> checkConfirmed() {
        if (phase != Phase.RAISING) {
            return List.of();
        }
        return switch (confirmations.verdict(votes)) {
            case YES -> confirmed();
            case NO, UNKNOWN -> unconfirmed();
            case OPEN -> List.of();
        };
    }

    private List<Runnable> confirmed() {
        phase = Phase.GRANTED;
        Grant grant = new Grant(Objects.requireNonNull(lease), since);
        return List.of(() -> outcome.complete(new Attempt.Granted(grant)));
    }

    private List<Runnable> unconfirmed() {
        return fail("a majority of " + nodes.size() + " nodes did not confirm the fencing token in time");
    }

    // --- the end without a grant ---

    private List<Runnable> refused() {
        Refusals refusals = votes.refusals();
        // Nobody can have taken this try for a holder that is worth waiting for: too many nodes refused it.
        return end(new Attempt.Refused(nextTry.apply(refusals)), refusals.isHeld());
    }

    private List<Runnable> fail(String why) {
        StringBuilder text = new StringBuilder(why);
        for (int at = 0; at < nodes.size(); at++) {
            text.append(at == 0 ? " (" : ", ")
                    .append(nodes.get(at).name())
                    .append(": ")
                    .append(votes.describe(at));
        }
        return end(new Attempt.Failed(new CallFailure(text.append(')').toString(), false), false), false);
    }

    private List<Runnable> end(Attempt attempt, boolean quietly) {
        phase = Phase.OVER;
        return List.of(() -> {
            for (int at = 0; at < nodes.size(); at++) {
                withdrawal.from(nodes.get(at), asked.get(at), quietly);
            }
            outcome.complete(attempt);
        });
    }
}
