package io.distlock.etcd.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Who believed to hold a lock, from when until when: once each token, in the order of the tokens. Thread-safe. */
final class HoldLog {

    private final List<Hold> holds = new ArrayList<>();

    private record Hold(long token, long grantedNanos, long lastHeldNanos) {}

    /**
     * @param grantedNanos a moment after it was granted
     * @param lastHeldNanos the last moment at which it was known to be held
     */
    synchronized void add(long token, long grantedNanos, long lastHeldNanos) {
        holds.add(new Hold(token, grantedNanos, lastHeldNanos));
    }

    /** Each hold that began before one with a smaller token, or with the same, was over. */
    synchronized List<String> violations() {
        List<String> violations = new ArrayList<>();
        holds.sort(Comparator.comparingLong(Hold::token).thenComparingLong(Hold::grantedNanos));
        for (int next = 1; next < holds.size(); next++) {
            Hold before = holds.get(next - 1);
            Hold after = holds.get(next);
            if (before.token() == after.token() || after.grantedNanos() - before.lastHeldNanos() < 0) {
                violations.add(after + " beside " + before);
            }
        }
        return violations;
    }
}
