package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.RedisLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides one try to take a lock from a majority, as soon as a majority has granted or no longer can. If the proposed
 * fencing tokens differ, a majority must raise its counters to the largest. Nodes are identified by index.
 *
 * <p>Uses neither I/O nor a clock: each event returns the steps to take, in order. Not thread-safe.
 */
final class RedlockPhases {

    private enum Phase {
        /** Votes and proposals come in. */
        PROPOSING,
        /** A majority has granted; its counters are being raised. */
        RAISING,
        GRANTED,
        OVER
    }

    private final Quorum quorum;
    private final RedlockNodes.RunIds runIds;
    private final LongFunction<RedlockLease> leaseUnder;
    private final Quorum.Votes votes;
    /** Nodes that have answered and do not have the lock. */
    private final BitSet missing = new BitSet();

    private Phase phase = Phase.PROPOSING;
    private @Nullable TokenConfirmations confirmations;

    RedlockPhases(Quorum quorum, RedlockNodes.RunIds runIds, LongFunction<RedlockLease> leaseUnder) {
        this.quorum = quorum;
        this.runIds = runIds;
        this.leaseUnder = leaseUnder;
        this.votes = new Quorum.Votes(quorum);
    }

    // --- events ---

    List<Step> voted(int node, Quorum.Vote vote) {
        votes.set(node, vote);
        missing.set(node, !votes.isGranted(node));
        return switch (phase) {
            case PROPOSING -> decide();
            case RAISING, GRANTED -> votedLate(node);
            case OVER -> List.of();
        };
    }

    /** Matching nodes that have not answered count as silent from now on. */
    List<Step> silenced(IntPredicate which, Duration waited) {
        for (int node = 0; node < quorum.nodes(); node++) {
            if (votes.isOpen(node) && which.test(node)) {
                votes.set(
                        node,
                        new Quorum.Vote.Silent(
                                new RedisCallException("no answer for " + waited.toMillis() + " ms", true)));
            }
        }
        return phase == Phase.PROPOSING ? decide() : checkConfirmed();
    }

    /**
     * @param done whether the node stands by its vote, under the chosen token
     */
    List<Step> raised(int node, boolean done) {
        chosen().raised(node, done);
        missing.set(node, !done);
        return phase == Phase.GRANTED ? restoreMissing(node) : checkConfirmed();
    }

    /** The time is up. */
    List<Step> unconfirmed() {
        return phase == Phase.RAISING ? notConfirmed() : List.of();
    }

    /** Withdraws everything, even a grant. */
    List<Step> abandoned() {
        if (phase == Phase.OVER) {
            return List.of();
        }
        List<Step> steps = new ArrayList<>();
        if (phase == Phase.GRANTED) {
            RedlockLease lease = chosen().lease();
            lease.beginRelease();
            // Where it may have been restored, there is no vote to withdraw.
            missing.stream().forEach(node -> steps.add(actions -> actions.takeBack(node, lease)));
        }
        steps.addAll(fail("it was given up"));
        return steps;
    }

    // --- questions ---

    boolean isMajorityHeard() {
        return votes.isMajorityHeard();
    }

    /** Whether it depends on the vote of one of these nodes. */
    boolean isWaitingFor(IntPredicate which) {
        return phase == Phase.PROPOSING
                && IntStream.range(0, quorum.nodes()).anyMatch(node -> which.test(node) && votes.isOpen(node));
    }

    // --- first phase ---

    private List<Step> decide() {
        return switch (votes.outcome()) {
            case OPEN -> List.of();
            case GRANTED -> choose();
            case REFUSED -> refuse();
            case UNAVAILABLE -> fail("a majority of " + quorum.nodes() + " nodes gave no vote");
        };
    }

    private List<Step> choose() {
        if (runIds.clash().isPresent()) {
            return fail(runIds.clash().get());
        }
        RedlockLease lease = leaseUnder.apply(votes.token());
        confirmations = new TokenConfirmations(quorum, votes, lease);
        phase = Phase.RAISING;
        List<Step> steps = new ArrayList<>();
        for (int node = 0; node < quorum.nodes(); node++) {
            noteDoubt(node);
        }
        for (int node = 0; node < quorum.nodes(); node++) {
            if (votes.isGranted(node)) {
                steps.addAll(confirm(node));
            }
        }
        if (phase == Phase.RAISING) {
            steps.add(Actions::limitConfirming);
        }
        return steps;
    }

    private void noteDoubt(int node) {
        if (votes.isWithoutEffect(node)) {
            chosen().lease().absentFrom(node);
        } else if (!votes.isGranted(node) && !votes.isOpen(node)) {
            chosen().lease().mayComeLateTo(node);
        }
    }

    // --- second phase ---

    /** Better held on all nodes, under one token, unless the release got there first. */
    private List<Step> votedLate(int node) {
        noteDoubt(node);
        if (!votes.isGranted(node)) {
            return phase == Phase.GRANTED ? restoreMissing(node) : checkConfirmed();
        }
        RedlockLease lease = chosen().lease();
        return lease.isReleased() ? List.of(actions -> actions.withdrawUnlessReleased(node, lease)) : confirm(node);
    }

    private List<Step> confirm(int node) {
        if (!chosen().count(node)) {
            return checkConfirmed();
        }
        RedisLease entry = chosen().lease().entry();
        long proposed = votes.proposal(node);
        List<Step> steps = new ArrayList<>();
        steps.add(actions -> actions.raise(node, entry, proposed));
        steps.addAll(checkConfirmed());
        return steps;
    }

    private List<Step> checkConfirmed() {
        if (phase != Phase.RAISING) {
            return List.of();
        }
        return switch (chosen().verdict()) {
            case YES -> grant();
            case NO, UNKNOWN -> notConfirmed();
            case OPEN -> List.of();
        };
    }

    private TokenConfirmations chosen() {
        return Objects.requireNonNull(confirmations);
    }

    // --- the end ---

    private List<Step> grant() {
        phase = Phase.GRANTED;
        RedlockLease lease = chosen().lease();
        List<Step> steps = new ArrayList<>(List.of(actions -> actions.grant(lease)));
        missing.stream().forEach(node -> steps.addAll(restoreMissing(node)));
        return steps;
    }

    private List<Step> restoreMissing(int node) {
        RedlockLease lease = chosen().lease();
        return missing.get(node) && !lease.isReleased() ? List.of(actions -> actions.restore(node, lease)) : List.of();
    }

    private List<Step> refuse() {
        phase = Phase.OVER;
        Quorum.Refusals refusals = votes.refusals();
        List<String> said = said();
        return List.of(actions -> actions.refuse(refusals, said));
    }

    private List<Step> notConfirmed() {
        return fail("a majority of " + quorum.nodes() + " nodes did not confirm the fencing token in time");
    }

    private List<Step> fail(String why) {
        phase = Phase.OVER;
        List<String> said = said();
        boolean quietly = !votes.mayBeMajority();
        return List.of(actions -> actions.fail(why, said, quietly));
    }

    private List<String> said() {
        return IntStream.range(0, quorum.nodes()).mapToObj(votes::describe).toList();
    }

    /** Taken outside the monitor. */
    interface Step {
        void by(Actions actions);
    }

    /** The nodes and the clock of one try. */
    interface Actions {

        /** Waits, but not beyond the end of the try; {@code whenUp} gets the time that the try has taken. */
        void limit(Duration time, Function<Duration, List<Step>> whenUp);

        /** Reports to {@link #unconfirmed} when there is no time left to confirm the token. */
        void limitConfirming();

        /** Sends the node the chosen token, and reports to {@link #raised}. */
        void raise(int node, RedisLease entry, long proposed);

        /** The node granted what has since been released. */
        void withdrawUnlessReleased(int node, RedlockLease lease);

        void grant(RedlockLease lease);

        /** The node lacks the granted lock. */
        void restore(int node, RedlockLease lease);

        /** The node may have been given it since. */
        void takeBack(int node, RedlockLease lease);

        /**
         * Withdraws what may have been granted, and notifies nobody: too many nodes have refused it for others to wait
         * for it, and contenders in a split vote must not be woken from the pauses that keep them apart.
         *
         * @param said the nodes' answers, in order, for diagnostics
         */
        void refuse(Quorum.Refusals refusals, List<String> said);

        /**
         * Withdraws what may have been granted.
         *
         * @param said the nodes' answers, in order, for diagnostics
         * @param quietly whether to notify nobody. When too many nodes are down for anyone to get the lock,
         *     contenders would wake each other again and again
         */
        void fail(String why, List<String> said, boolean quietly);
    }
}
