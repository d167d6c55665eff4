package io.distlock.redis.redlock;

import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.redis.redlock.Quorum.Votes;

/**
 * Which nodes have confirmed the chosen fencing token: the second phase of one try. Uses no I/O and no clock; not
 * thread-safe.
 *
 * <p>Each node proposes its counter plus one, and the largest becomes the token. If a majority proposed it, that is
 * enough; otherwise a majority must raise its counters to it before the lock counts as taken. That makes tokens grow:
 * two acquisitions share a node, where the counter reached the token of the first before the second read it.
 */
final class TokenConfirmations {

    private final Quorum quorum;
    private final Votes votes;
    private final RedlockLease lease;
    private final boolean[] open;
    private final boolean[] confirmed;

    /**
     * Nodes that have granted are awaited from the start; each must still be {@link #count counted}.
     *
     * @param votes of which a majority has granted
     * @param lease under the chosen token
     */
    TokenConfirmations(Quorum quorum, Votes votes, RedlockLease lease) {
        this.quorum = quorum;
        this.votes = votes;
        this.lease = lease;
        this.open = new boolean[quorum.nodes()];
        this.confirmed = new boolean[quorum.nodes()];
        for (int node = 0; node < quorum.nodes(); node++) {
            open[node] = votes.isGranted(node);
        }
    }

    RedlockLease lease() {
        return lease;
    }

    /**
     * A node that proposed the token has a counter that large; one that proposed less must raise it. One whose larger
     * proposal came after the choice gets the token but does not count: it may have confirmed that very token to an
     * earlier owner.
     *
     * @param node has granted
     * @return whether to send the node the token
     */
    boolean count(int node) {
        if (votes.proposal(node) == token()) {
            answered(node, true);
            return false;
        }
        open[node] = counts(node);
        return true;
    }

    /** Whether the node, having got the token, stands by it. */
    void raised(int node, boolean done) {
        answered(node, done && counts(node));
    }

    /** Whether a majority has confirmed; open as long as nodes that have not yet voted could make one. */
    Tally.Verdict verdict() {
        Tally tally = Tally.of(quorum);
        for (int node = 0; node < quorum.nodes(); node++) {
            if (confirmed[node]) {
                tally = tally.plusYes();
            } else if (!open[node] && !votes.isOpen(node)) {
                tally = tally.plusNo();
            }
        }
        return tally.verdict();
    }

    private void answered(int node, boolean yes) {
        open[node] = false;
        confirmed[node] = yes;
    }

    private boolean counts(int node) {
        return votes.proposal(node) < token();
    }

    private long token() {
        return lease.token().value();
    }
}
