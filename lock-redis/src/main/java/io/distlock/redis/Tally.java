package io.distlock.redis;

/**
 * The count of yes, no and unknown among the nodes. Immutable; knows neither nodes nor time.
 */
record Tally(Quorum quorum, int yes, int no, int unknown) {

    /** What the answers so far amount to. */
    enum Verdict {
        /** Answers that have not come in decide. */
        OPEN,
        /** A majority says so. */
        YES,
        /** A majority says no. */
        NO,
        /** Neither can be had any more. */
        UNKNOWN
    }

    Tally {
        if (yes < 0 || no < 0 || unknown < 0 || yes + no + unknown > quorum.nodes()) {
            throw new IllegalArgumentException(yes + " yes, " + no + " no and " + unknown
                    + " unknown are no answers of " + quorum.nodes() + " nodes");
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

    /** Final as soon as it is not open. */
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
