package io.distlock.chaos.client;

import io.distlock.LockKey;
import io.distlock.chaos.history.Use;
import io.distlock.leader.LeaderElection;

/** What the clients of a campaign contend for. */
public final class Keys {

    /** How many locks there are. */
    public static final int LOCKS = 3;

    /** How many may hold a permit at once. */
    public static final int PERMITS = 3;

    /** How many roles there are. */
    public static final int ROLES = 2;

    private Keys() {}

    /** One of the locks. */
    public static LockKey lock(int number) {
        return LockKey.of(Use.NAME, Integer.toString(number));
    }

    /** A lock that is held and renewed for long. */
    public static LockKey kept() {
        return LockKey.of(Use.NAME, "kept");
    }

    /** The permits. */
    public static LockKey permits() {
        return LockKey.of(Use.NAME, Use.PERMITS);
    }

    /** The lock of one of the roles. */
    public static LockKey role(int number) {
        return LockKey.of(LeaderElection.LOCK_NAME, roleName(number));
    }

    static String roleName(int number) {
        return Use.NAME + '-' + number;
    }
}
