package io.distlock.redis;

/**
 * How many of a number of independent nodes decide. Odd, so that neither half of the nodes can be had without a majority.
 *
 * @param nodes how many there are: odd, 3 or more
 */
record Quorum(int nodes) {

    private static final int FEWEST = 3;

    Quorum {
        if (nodes < FEWEST) {
            throw new IllegalArgumentException(nodes + " nodes are too few for a quorum that survives the loss of one:"
                    + " list at least " + FEWEST + ", on machines of their own");
        }
        if (nodes % 2 == 0) {
            throw new IllegalArgumentException(nodes + " nodes are an even number, which survives no more losses than "
                    + (nodes - 1) + ": list one less, or one more");
        }
    }

    /** Any two majorities share a node. */
    int majority() {
        return nodes / 2 + 1;
    }
}
