package io.distlock.chaos.history;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * One attempt at a lock, put together from what was recorded of it.
 *
 * @param id which attempt
 * @param client whose
 * @param key the lock
 * @param shared whether it is to be shared with other readers
 * @param checked whether its body ends when its lock says that it is no longer held
 * @param waitNanos how long it may wait
 * @param asked when it began
 * @param answered when it ended; empty if the client died before
 * @param outcome {@code granted}, or why it was not; empty if the client died before
 * @param hold what followed, if it was granted
 */
public record Attempt(
        String id,
        String client,
        String key,
        boolean shared,
        boolean checked,
        long waitNanos,
        long asked,
        OptionalLong answered,
        String outcome,
        Optional<Hold> hold) {

    /**
     * A lock as its holder saw it.
     *
     * @param id the attempt
     * @param client whose
     * @param name what was asked for
     * @param permits how many may have one of that name
     * @param key the lock: of several permits, that of the permit
     * @param shared whether other readers may hold it too
     * @param asked when the attempt began
     * @param token the grant's token
     * @param granted after the call had returned
     * @param held the last moment at which the lock is known to have said that it is held; not before {@code granted}
     * @param body the last moment at which the body is known to have run, whatever the lock said
     * @param lost when the holder was told of a loss
     * @param releasing when its release began
     */
    public record Hold(
            String id,
            String client,
            String name,
            int permits,
            String key,
            boolean shared,
            long asked,
            long token,
            long granted,
            long held,
            long body,
            OptionalLong lost,
            OptionalLong releasing,
            Force force) {

        /**
         * A release by force, which the holder learns of at its next renewal, and at the latest when its lease is over.
         *
         * @param at when it began; empty if there was none
         * @param leaseNanos the lease time
         */
        public record Force(OptionalLong at, long leaseNanos) {}

        /** What it is used for. */
        public Use use() {
            return Use.of(key);
        }

        /**
         * From when on these two conflict: later than both grants, if one of them had been released by force when the other was
         * granted. It may be the one that learned of its grant last.
         */
        public long conflictsFrom(Hold other) {
            return Math.max(mayLeadUntil(other.granted), other.mayLeadUntil(granted));
        }

        private long mayLeadUntil(long othersGrant) {
            OptionalLong forced = force.at();
            return forced.isPresent() && forced.getAsLong() <= othersGrant
                    ? Math.max(othersGrant, forced.getAsLong() + force.leaseNanos())
                    : othersGrant;
        }

        /** Whether two of them must not be at once. */
        public boolean conflictsWith(Hold other) {
            return key.equals(other.key) && !(shared && other.shared);
        }

        /**
         * Whether the store must have granted this one first: it was granted before the other was asked for; or the two
         * exclude each other, and this one was no longer held when the other was.
         */
        public boolean precedes(Hold other) {
            return granted < other.asked
                    || (conflictsWith(other) && wasHeld() && other.wasHeld() && held <= other.granted);
        }

        /** Whether the lock itself said so at least once. */
        public boolean wasHeld() {
            return held > granted;
        }
    }
}
