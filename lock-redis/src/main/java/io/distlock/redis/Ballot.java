package io.distlock.redis;

/**
 * The count of an acquisition's votes. Immutable; knows neither nodes nor time.
 *
 * @param granted how many nodes have given the lock
 * @param refused how many have not, because another has it there
 * @param silent how many have not answered in time, or with an error
 */
record Ballot(Quorum quorum, int granted, int refused, int silent) {

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

    Ballot {
        if (granted < 0 || refused < 0 || silent < 0 || granted + refused + silent > quorum.nodes()) {
            throw new IllegalArgumentException(granted + " granted, " + refused + " refused and " + silent
                    + " silent are no votes of " + quorum.nodes() + " nodes");
        }
    }

    static Ballot of(Quorum quorum) {
        return new Ballot(quorum, 0, 0, 0);
    }

    Ballot plusGranted() {
        return new Ballot(quorum, granted + 1, refused, silent);
    }

    Ballot plusRefused() {
        return new Ballot(quorum, granted, refused + 1, silent);
    }

    Ballot plusSilent() {
        return new Ballot(quorum, granted, refused, silent + 1);
    }

    /** Final as soon as it is not open: votes that come later cannot change it. */
    Verdict verdict() {
        int majority = quorum.majority();
        if (granted >= majority) {
            return Verdict.GRANTED;
        }
        if (silent >= majority) {
            return Verdict.UNAVAILABLE;
        }
        boolean outOfReach = refused + silent >= majority;
        // Silence is not "held by another": that takes a majority that speaks.
        return outOfReach && granted + refused >= majority ? Verdict.REFUSED : Verdict.OPEN;
    }
}
