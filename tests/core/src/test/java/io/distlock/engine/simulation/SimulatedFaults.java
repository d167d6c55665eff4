package io.distlock.engine.simulation;

/**
 * What goes wrong in a simulation. Clocks always drift.
 *
 * @param slowestMillis the longest time that one message in ten takes; the others take up to 8 ms
 * @param lost one message in so many is lost; 0 for none
 * @param cuts whether connections are cut for a while
 * @param pauses whether processes stop for a while, some with their monotonic clock
 * @param ends whether processes die, and clients are closed
 * @param stalls whether connections with subscriptions fall silent, and subscriptions are confirmed late: some only after
 *     their waiter has given up, or is gone
 * @param holds whether connections carry nothing for seconds, and then deliver everything or break
 * @param crowds whether most ask for shared locks, so that writers have to wait for readers
 */
record SimulatedFaults(
        String name,
        long slowestMillis,
        int lost,
        boolean cuts,
        boolean pauses,
        boolean ends,
        boolean stalls,
        boolean holds,
        boolean crowds) {

    static final SimulatedFaults NONE = new SimulatedFaults("none", 20, 0, false, false, false, false, false, false);
    static final SimulatedFaults SLOW = new SimulatedFaults("slow", 600, 0, false, false, false, false, false, false);
    static final SimulatedFaults LOSS = new SimulatedFaults("loss", 50, 8, false, false, false, false, false, false);
    static final SimulatedFaults CUTS = new SimulatedFaults("cuts", 20, 0, true, false, false, false, false, false);
    static final SimulatedFaults PAUSES = new SimulatedFaults("pauses", 20, 0, false, true, false, false, false, false);
    static final SimulatedFaults ENDS = new SimulatedFaults("ends", 20, 0, false, false, true, false, false, false);
    static final SimulatedFaults STALLS = new SimulatedFaults("stalls", 20, 0, false, false, false, true, false, false);
    static final SimulatedFaults STALLS_AND_ENDS =
            new SimulatedFaults("stalls and ends", 20, 0, false, false, true, true, false, false);
    static final SimulatedFaults HOLDS = new SimulatedFaults("holds", 20, 0, false, false, false, false, true, false);
    static final SimulatedFaults HOLDS_AND_ENDS =
            new SimulatedFaults("holds and ends", 20, 0, false, false, true, false, true, false);
    static final SimulatedFaults CROWDS = new SimulatedFaults("crowds", 20, 0, false, false, false, false, false, true);
    static final SimulatedFaults CROWDS_AND_ENDS =
            new SimulatedFaults("crowds and ends", 20, 0, false, false, true, false, false, true);
    static final SimulatedFaults ALL = new SimulatedFaults("all", 300, 20, true, true, true, true, true, false);

    /** Whether so little is asked for that nobody else comes by and finds what a waiter has missed. */
    boolean isQuiet() {
        return stalls && !pauses;
    }

    /** Whether nothing goes wrong at all. */
    boolean isCalm() {
        return isReliable() && !ends;
    }

    /** Whether each message arrives within milliseconds, and each process that lives goes on. */
    boolean isReliable() {
        return slowestMillis <= 20 && lost == 0 && !cuts && !pauses && !stalls && !holds;
    }

    @Override
    public String toString() {
        return name;
    }
}
