package io.distlock.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the nodes have said to one try so far, by their places. Knows neither nodes nor time; not thread-safe. */
final class Votes {

    private final Quorum quorum;
    private final @Nullable NodeVote[] votes;

    Votes(Quorum quorum) {
        this.quorum = quorum;
        this.votes = new NodeVote[quorum.nodes()];
    }

    /** What the votes so far amount to. */
    enum Verdict {
        /** Votes that have not come in decide. */
        OPEN,
        GRANTED,
        /** No majority can be had any more, and a majority of nodes works: others have the lock. */
        REFUSED,
        /** A majority of nodes does not work: nobody knows who has the lock. */
        UNAVAILABLE
    }

    /** A later answer counts instead of a silence. */
    void set(int node, NodeVote vote) {
        votes[node] = vote;
    }

    boolean isOpen(int node) {
        return votes[node] == null;
    }

    /** How many nodes have said yes or no. */
    int answers() {
        return count(NodeVote.Granted.class) + count(NodeVote.Refused.class);
    }

    boolean isGranted(int node) {
        return votes[node] instanceof NodeVote.Granted;
    }

    /** Whether the node has certainly given nothing. */
    boolean isWithoutEffect(int node) {
        return votes[node] instanceof NodeVote.Refused
                || (votes[node] instanceof NodeVote.Silent silent
                        && !silent.cause().mayBeApplied());
    }

    /** Whether a majority may have granted, be it without saying so. */
    boolean mayBeMajority() {
        long may = IntStream.range(0, votes.length)
                .filter(node -> !isWithoutEffect(node))
                .count();
        return may >= quorum.majority();
    }

    /** Of a node that has granted. */
    long proposal(int node) {
        return votes[node] instanceof NodeVote.Granted granted ? granted.token() : 0;
    }

    private int count(Class<? extends NodeVote> kind) {
        return (int) Arrays.stream(votes).filter(kind::isInstance).count();
    }

    /** Final as soon as it is not open: votes that come later cannot change it. */
    Verdict verdict() {
        int majority = quorum.majority();
        int silent = count(NodeVote.Silent.class);
        if (count(NodeVote.Granted.class) >= majority) {
            return Verdict.GRANTED;
        }
        if (silent >= majority) {
            return Verdict.UNAVAILABLE;
        }
        boolean outOfReach = count(NodeVote.Refused.class) + silent >= majority;
        // Silence is not "held by another": that takes a majority that speaks.
        return outOfReach && answers() >= majority ? Verdict.REFUSED : Verdict.OPEN;
    }

    /** F, the largest token that was proposed. */
    long token() {
        return IntStream.range(0, votes.length).mapToLong(this::proposal).max().orElseThrow();
    }

    Refusals refusals() {
        List<NodeVote.Refused> refusals = new ArrayList<>();
        for (NodeVote vote : votes) {
            if (vote instanceof NodeVote.Refused refused) {
                refusals.add(refused);
            }
        }
        int open = (int) Arrays.stream(votes).filter(Objects::isNull).count();
        return new Refusals(quorum, count(NodeVote.Granted.class), open, refusals);
    }

    /** For people. */
    String describe(int node) {
        NodeVote vote = votes[node];
        if (vote instanceof NodeVote.Silent silent) {
            return String.valueOf(silent.cause().getMessage());
        }
        return vote == null ? "open" : vote instanceof NodeVote.Granted ? "granted" : "refused";
    }
}
