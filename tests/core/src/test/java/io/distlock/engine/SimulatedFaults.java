package io.distlock.engine;

/**
 * What goes wrong in a simulation. Clocks always drift.
 *
 * @param slowestMillis the longest time that one message in ten takes; the others take up to 8 ms
 * @param lost one message in so many is lost; 0 for none
 * @param cuts whether connections are cut for a while
 * @param pauses whether processes stop for a while, some with their monotonic clock
 * @param ends whether processes die, and clients are closed
 * @param stalls whether connections with subscriptions fall silent, and subscriptions are confirmed late
 */
record SimulatedFaults(
        String name, long slowestMillis, int lost, boolean cuts, boolean pauses, boolean ends, boolean stalls) {

    static final SimulatedFaults NONE = new SimulatedFaults("none", 20, 0, false, false, false, false);
    static final SimulatedFaults SLOW = new SimulatedFaults("slow", 600, 0, false, false, false, false);
    static final SimulatedFaults LOSS = new SimulatedFaults("loss", 50, 8, false, false, false, false);
    static final SimulatedFaults CUTS = new SimulatedFaults("cuts", 20, 0, true, false, false, false);
    static final SimulatedFaults PAUSES = new SimulatedFaults("pauses", 20, 0, false, true, false, false);
    static final SimulatedFaults ENDS = new SimulatedFaults("ends", 20, 0, false, false, true, false);
    static final SimulatedFaults STALLS = new SimulatedFaults("stalls", 20, 0, false, false, false, true);
    static final SimulatedFaults STALLS_AND_ENDS =
            new SimulatedFaults("stalls and ends", 20, 0, false, false, true, true);
    static final SimulatedFaults ALL = new SimulatedFaults("all", 300, 20, true, true, true, true);

    /** Whether so little is asked for that nobody else comes by and finds what a waiter has missed. */
    boolean isQuiet() {
        return stalls && !pauses;
    }

    boolean isCalm() {
        return equals(NONE);
    }

    @Override
    public String toString() {
        return name;
    }
}
