package io.distlock.redis;

import java.util.BitSet;

/**
 * Which nodes stand by the fencing token that was chosen, by their places: the second phase of one try. Knows neither
 * nodes nor time; not thread-safe.
 */
final class Confirmations {

    private final Quorum quorum;
    private final BitSet open = new BitSet();
    private final BitSet confirmed = new BitSet();

    Confirmations(Quorum quorum) {
        this.quorum = quorum;
    }

    /** The node has been asked, or is about to be, and its answer counts. */
    void await(int node) {
        open.set(node);
    }

    /** Its answer does not count. */
    void ignore(int node) {
        open.clear(node);
    }

    void answered(int node, boolean yes) {
        open.clear(node);
        confirmed.set(node, yes);
    }

    /** Whether a majority has confirmed; open as long as nodes that have not yet voted could make one. */
    Tally.Verdict verdict(Votes votes) {
        Tally tally = Tally.of(quorum);
        for (int node = 0; node < quorum.nodes(); node++) {
            if (confirmed.get(node)) {
                tally = tally.plusYes();
            } else if (!open.get(node) && !votes.isOpen(node)) {
                tally = tally.plusNo();
            }
        }
        return tally.verdict();
    }
}
