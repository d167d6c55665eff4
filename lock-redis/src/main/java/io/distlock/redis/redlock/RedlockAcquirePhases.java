package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.RedisLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The states of one attempt to take a lock, which ends as soon as a majority has granted it or no longer can. Nodes are
 * identified by index.
 *
 * <p>Each node proposes its counter plus one, and the largest becomes the token. The lock counts as taken once the
 * counters of a majority have reached it. That makes tokens grow: two acquisitions share a node, where the counter
 * reached the token of the first before the second read it.
 *
 * <p>Uses neither I/O nor a clock: each event returns the steps to take, in order. Not thread-safe.
 */
final class RedlockAcquirePhases {

    private enum Phase {
        /** Votes and proposals come in. */
        PROPOSING,
        /** A majority has granted; its counters are being raised. */
        RAISING,
        GRANTED,
        OVER
    }

    private final Quorum quorum;
    private final RunIds runIds;
    private final LongFunction<RedlockLease> leaseUnder;
    private final Quorum.Votes votes;
    /** Nodes that have answered and do not have the lock. */
    private final BitSet missing = new BitSet();

    /** Nodes that have granted, and may still confirm the token. */
    private final BitSet confirming = new BitSet();

    private final BitSet confirmed = new BitSet();
    private Phase phase = Phase.PROPOSING;
    private @Nullable RedlockLease chosen;

    RedlockAcquirePhases(Quorum quorum, RunIds runIds, LongFunction<RedlockLease> leaseUnder) {
        this.quorum = quorum;
        this.runIds = runIds;
        this.leaseUnder = leaseUnder;
        this.votes = new Quorum.Votes(quorum);
    }

    List<Step> voted(int node, Quorum.Vote vote) {
        votes.set(node, vote);
        missing.set(node, !votes.isGranted(node));
        return switch (phase) {
            case PROPOSING -> decide();
            case RAISING, GRANTED -> votedLate(node);
            case OVER -> List.of();
        };
    }

    /** Nodes that have not answered count as silent from now on. */
    List<Step> silenced(Duration waited) {
        var silent = new Quorum.Vote.Silent(new RedisCallException("no answer for " + waited.toMillis() + " ms", true));
        nodes().filter(votes::isOpen).forEach(node -> votes.set(node, silent));
        return phase == Phase.PROPOSING ? decide() : checkConfirmed();
    }

    List<Step> raised(int node, boolean done) {
        confirming.clear(node);
        confirmed.set(node, done && votes.proposal(node) < lease().token().value());
        missing.set(node, !done);
        return phase == Phase.GRANTED ? restoreMissing(node) : checkConfirmed();
    }

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
            RedlockLease lease = lease();
            lease.beginRelease();
            // Where it may have been restored, there is no vote to withdraw.
            missing.stream().forEach(node -> steps.add(actions -> actions.takeBack(node, lease)));
        }
        steps.addAll(fail("the attempt was abandoned"));
        return steps;
    }

    boolean isMajorityHeard() {
        return votes.isMajorityHeard();
    }

    private List<Step> decide() {
        return switch (votes.outcome()) {
            case OPEN -> List.of();
            case GRANTED -> choose();
            case REFUSED -> refuse();
            case UNAVAILABLE -> fail("a majority of " + quorum.nodes() + " nodes did not vote");
        };
    }

    private List<Step> choose() {
        if (runIds.clash().isPresent()) {
            return fail(runIds.clash().get());
        }
        chosen = leaseUnder.apply(votes.token());
        phase = Phase.RAISING;
        nodes().forEach(this::noteDoubt);
        nodes().filter(votes::isGranted).forEach(confirming::set);
        List<Step> steps = new ArrayList<>();
        nodes().filter(votes::isGranted).forEach(node -> steps.addAll(confirm(node)));
        if (phase == Phase.RAISING) {
            steps.add(Actions::limitConfirming);
        }
        return steps;
    }

    private void noteDoubt(int node) {
        if (votes.isWithoutEffect(node)) {
            lease().absentFrom(node);
        } else if (!votes.isGranted(node) && !votes.isOpen(node)) {
            lease().mayComeLateTo(node);
        }
    }

    /** All nodes should have the lock, under one token, until it is released. */
    private List<Step> votedLate(int node) {
        noteDoubt(node);
        if (!votes.isGranted(node)) {
            return phase == Phase.GRANTED ? restoreMissing(node) : checkConfirmed();
        }
        RedlockLease lease = lease();
        return lease.isReleased() ? List.of(actions -> actions.withdrawUnlessReleased(node, lease)) : confirm(node);
    }

    /**
     * A node that proposed less than the token must raise its counter. One that proposed more, after the token was chosen,
     * is given the token but does not count: it may have confirmed that very token to an earlier owner.
     */
    private List<Step> confirm(int node) {
        RedisLease entry = lease().entry();
        long proposed = votes.proposal(node);
        confirming.set(node, proposed < entry.token().value());
        if (proposed == entry.token().value()) {
            confirmed.set(node);
            return checkConfirmed();
        }
        List<Step> steps = new ArrayList<>();
        steps.add(actions -> actions.raise(node, entry, proposed));
        steps.addAll(checkConfirmed());
        return steps;
    }

    private List<Step> checkConfirmed() {
        if (phase != Phase.RAISING) {
            return List.of();
        }
        long no = nodes().filter(node -> !confirmed.get(node) && !confirming.get(node) && !votes.isOpen(node))
                .count();
        return switch (new Quorum.Tally(quorum, confirmed.cardinality(), (int) no, 0).verdict()) {
            case YES -> grant();
            case NO, UNKNOWN -> notConfirmed();
            case OPEN -> List.of();
        };
    }

    private RedlockLease lease() {
        return Objects.requireNonNull(chosen);
    }

    private IntStream nodes() {
        return IntStream.range(0, quorum.nodes());
    }

    private List<Step> grant() {
        phase = Phase.GRANTED;
        RedlockLease lease = lease();
        List<Step> steps = new ArrayList<>(List.of(actions -> actions.grant(lease)));
        missing.stream().forEach(node -> steps.addAll(restoreMissing(node)));
        return steps;
    }

    private List<Step> restoreMissing(int node) {
        RedlockLease lease = lease();
        return missing.get(node) && !lease.isReleased() ? List.of(actions -> actions.restore(node, lease)) : List.of();
    }

    private List<Step> refuse() {
        phase = Phase.OVER;
        Quorum.Refusals refusals = votes.refusals();
        List<String> said = said();
        boolean quietly = !votes.mayBeMajority();
        return List.of(actions -> actions.refuse(refusals, said, quietly));
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
        return nodes().mapToObj(votes::describe).toList();
    }

    /** Taken outside the monitor. */
    interface Step {
        void by(Actions actions);
    }

    /** The nodes and the clock of one try. */
    interface Actions {

        /** Waits until the try ends or the time is up; {@code whenUp} gets the time that the try has taken. */
        void limit(Duration time, Function<Duration, List<Step>> whenUp);

        /** Reports to {@link #unconfirmed} when there is no time left. */
        void limitConfirming();

        /** Sends the node the chosen token, and reports to {@link #raised}. */
        void raise(int node, RedisLease entry, long proposed);

        /** The node granted what has since been released. */
        void withdrawUnlessReleased(int node, RedlockLease lease);

        void grant(RedlockLease lease);

        void restore(int node, RedlockLease lease);

        /** The node may have been given it since the grant. */
        void takeBack(int node, RedlockLease lease);

        /**
         * Withdraws what may have been granted. Contenders in a split vote must stay apart, so nobody is notified where a node
         * has answered; nor elsewhere if {@code quietly}.
         */
        void refuse(Quorum.Refusals refusals, List<String> said, boolean quietly);

        /** The same, but notifies waiters unless {@code quietly}: if a majority may have granted, they may wait for this. */
        void fail(String why, List<String> said, boolean quietly);
    }
}
