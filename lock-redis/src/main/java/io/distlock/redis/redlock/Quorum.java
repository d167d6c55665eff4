package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisCallException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All majority arithmetic over independent nodes, which are identified by index. Uses neither I/O nor a clock.
 *
 * @param nodes how many there are: odd, 3 or more
 */
record Quorum(int nodes) {

    private static final int FEWEST = 3;

    Quorum {
        if (nodes < FEWEST) {
            throw new IllegalArgumentException(nodes + " nodes are too few for a quorum that survives the loss of one:"
                    + " list at least " + FEWEST + ", each on its own machine");
        }
        if (nodes % 2 == 0) {
            throw new IllegalArgumentException(nodes + " nodes are an even number, which survives no more losses than "
                    + (nodes - 1) + ": list one fewer or one more");
        }
    }

    /** Any two majorities share a node. */
    int majority() {
        return nodes / 2 + 1;
    }

    /** The count of yes, no and unknown among the nodes. */
    record Tally(Quorum quorum, int yes, int no, int unknown) {

        /** Final once it is not open; unknown if neither yes nor no can reach a majority. */
        enum Verdict {
            OPEN,
            YES,
            NO,
            UNKNOWN
        }

        Tally {
            if (yes < 0 || no < 0 || unknown < 0 || yes + no + unknown > quorum.nodes()) {
                throw new IllegalArgumentException(yes + " yes, " + no + " no and " + unknown
                        + " unknown cannot be the answers of " + quorum.nodes() + " nodes");
            }
        }

        static Tally of(Quorum quorum) {
            return new Tally(quorum, 0, 0, 0);
        }

        Tally plusYes() {
            return new Tally(quorum, yes + 1, no, unknown);
        }

        Tally plusNo() {
            return new Tally(quorum, yes, no + 1, unknown);
        }

        Tally plusUnknown() {
            return new Tally(quorum, yes, no, unknown + 1);
        }

        Verdict verdict() {
            int majority = quorum.majority();
            if (yes >= majority) {
                return Verdict.YES;
            }
            if (no >= majority) {
                return Verdict.NO;
            }
            int open = quorum.nodes() - yes - no - unknown;
            return yes + open >= majority || no + open >= majority ? Verdict.OPEN : Verdict.UNKNOWN;
        }
    }

    /** One node's answer to an acquisition. */
    sealed interface Vote {

        /** The node has granted the lock, and proposes a token. */
        record Granted(long token) implements Vote {}

        /**
         * Another owner has the lock here.
         *
         * @param writer a number for the owner; none if readers have the lock
         * @param freeIn when it expires on the node, if known
         */
        record Refused(OptionalLong writer, Optional<Duration> freeIn) implements Vote {}

        /** No answer, or an error. */
        record Silent(RedisCallException cause) implements Vote {}
    }

    /** The nodes' answers to one try so far. Not thread-safe. */
    static final class Votes {

        private final Quorum quorum;
        private final @Nullable Vote[] votes;

        Votes(Quorum quorum) {
            this.quorum = quorum;
            this.votes = new Vote[quorum.nodes()];
        }

        /** Final once it is not open: later votes cannot change it. */
        enum Outcome {
            OPEN,
            GRANTED,
            /** A majority is out of reach, and a majority of nodes works: others have the lock. */
            REFUSED,
            /** A majority of nodes does not work: nobody knows who has the lock. */
            UNAVAILABLE
        }

        /** A later answer replaces a silence. */
        void set(int node, Vote vote) {
            votes[node] = vote;
        }

        boolean isOpen(int node) {
            return votes[node] == null;
        }

        /** Whether a majority has said yes or no. */
        boolean isMajorityHeard() {
            return count(Vote.Granted.class) + count(Vote.Refused.class) >= quorum.majority();
        }

        boolean isGranted(int node) {
            return votes[node] instanceof Vote.Granted;
        }

        /** Whether the node certainly granted nothing. */
        boolean isWithoutEffect(int node) {
            return votes[node] instanceof Vote.Refused
                    || (votes[node] instanceof Vote.Silent silent
                            && !silent.cause().mayBeApplied());
        }

        /** Whether a majority may have granted. */
        boolean mayBeMajority() {
            return nodes().filter(node -> !isWithoutEffect(node)).count() >= quorum.majority();
        }

        /** Zero if the node has not granted. */
        long proposal(int node) {
            return votes[node] instanceof Vote.Granted granted ? granted.token() : 0;
        }

        private int count(Class<? extends Vote> kind) {
            return (int) Arrays.stream(votes).filter(kind::isInstance).count();
        }

        Outcome outcome() {
            int majority = quorum.majority();
            int silent = count(Vote.Silent.class);
            if (count(Vote.Granted.class) >= majority) {
                return Outcome.GRANTED;
            }
            if (silent >= majority) {
                return Outcome.UNAVAILABLE;
            }
            boolean outOfReach = count(Vote.Refused.class) + silent >= majority;
            // Silence is not "held by another": that takes a majority of answers.
            return outOfReach && isMajorityHeard() ? Outcome.REFUSED : Outcome.OPEN;
        }

        /** F, the largest token proposed. */
        long token() {
            return nodes().mapToLong(this::proposal).max().orElseThrow();
        }

        Refusals refusals() {
            List<Vote.Refused> refusals = Arrays.stream(votes)
                    .filter(Vote.Refused.class::isInstance)
                    .map(Vote.Refused.class::cast)
                    .toList();
            int open = (int) nodes().filter(this::isOpen).count();
            return new Refusals(quorum, count(Vote.Granted.class), open, refusals);
        }

        private IntStream nodes() {
            return IntStream.range(0, votes.length);
        }

        String describe(int node) {
            Vote vote = votes[node];
            if (vote instanceof Vote.Silent silent) {
                return String.valueOf(silent.cause().getMessage());
            }
            return vote == null ? "open" : vote instanceof Vote.Granted ? "granted" : "refused";
        }
    }

    /** What a try that was refused has heard; open nodes have not answered. */
    record Refusals(Quorum quorum, int granted, int open, List<Vote.Refused> refusals) {

        /** Readers are not told apart: a majority may comprise several tries, whose withdrawal notifies nobody. */
        private static final Duration READERS_MAY_BE_GONE = Duration.ofSeconds(5);

        /** Whether one owner has a majority, or readers do, so that only their release helps. */
        boolean isHeld() {
            return holders().values().stream().anyMatch(votes -> votes >= quorum.majority());
        }

        /** Whether several owners have votes. A single one may hold the lock by the votes of silent nodes. */
        boolean isSplit() {
            return holders().size() > 1 || answers() == quorum.nodes();
        }

        int answers() {
            return granted + refusals.size();
        }

        private Map<OptionalLong, Integer> holders() {
            return refusals.stream().collect(Collectors.toMap(Vote.Refused::writer, refusal -> 1, Integer::sum));
        }

        /**
         * When enough nodes free the lock on their own. Assumes the best of nodes that have not answered: the clock of
         * one that has may have been set back.
         */
        Optional<Duration> freeIn() {
            List<Duration> times = refusals.stream()
                    .flatMap(refusal -> refusal.freeIn().stream())
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
            if (!times.isEmpty()) {
                times.addAll(0, Collections.nCopies(open, times.get(0)));
            }
            int missing = quorum.majority() - granted;
            Optional<Duration> time = times.stream().skip(missing - 1).findFirst();
            return holders().getOrDefault(OptionalLong.empty(), 0) >= quorum.majority()
                    ? time.filter(known -> known.compareTo(READERS_MAY_BE_GONE) < 0)
                            .or(() -> Optional.of(READERS_MAY_BE_GONE))
                    : time;
        }
    }
}
