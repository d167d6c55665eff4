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

    /** A later answer counts instead of a silence. */
    void set(int node, NodeVote vote) {
        votes[node] = vote;
    }

    boolean isOpen(int node) {
        return votes[node] == null;
    }

    /** How many nodes have said yes or no. */
    int answers() {
        return ballot().granted() + ballot().refused();
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

    Ballot ballot() {
        Ballot ballot = Ballot.of(quorum);
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

    Proposals proposals() {
        List<Long> tokens = new ArrayList<>();
        for (int node = 0; node < votes.length; node++) {
            if (isGranted(node)) {
                tokens.add(proposal(node));
            }
        }
        return new Proposals(quorum, tokens);
    }

    Refusals refusals() {
        List<NodeVote.Refused> refusals = new ArrayList<>();
        for (NodeVote vote : votes) {
            if (vote instanceof NodeVote.Refused refused) {
                refusals.add(refused);
            }
        }
        int open = (int) Arrays.stream(votes).filter(Objects::isNull).count();
        return new Refusals(quorum, ballot().granted(), open, refusals);
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
