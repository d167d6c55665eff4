package io.distlock.redis;

import java.util.List;

/**
 * The fencing tokens that nodes have proposed for one acquisition, each one more than the counter it keeps. The largest
 * becomes the token. If a majority has proposed it, a majority has counters that are as large, and all is done; otherwise
 * a majority has to raise its counters to it before the lock counts as taken.
 *
 * <p>That makes tokens grow: two acquisitions share a node; there, the counter has reached the token of the one that owned
 * it first before the other one read it.
 */
record Proposals(Quorum quorum, List<Long> tokens) {

    Proposals {
        tokens = List.copyOf(tokens);
        if (tokens.size() < quorum.majority()) {
            throw new IllegalArgumentException(
                    tokens.size() + " proposals are no majority of " + quorum.nodes() + " nodes");
        }
    }

    /** F, the largest. */
    long token() {
        return tokens.stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    /** Whether a majority proposed the token, so that no second round is needed. */
    boolean settled() {
        long token = token();
        return tokens.stream().filter(each -> each == token).count() >= quorum.majority();
    }
}
