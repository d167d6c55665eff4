package io.distlock.chaos.history;

/** What a lock is used for. */
public enum Use {
    /** A lock, exclusive or shared. */
    LOCK,
    /** One of several permits. */
    PERMIT,
    /** The lead of a role. */
    ROLE;

    /** The name of the locks and permits of a campaign. */
    public static final String NAME = "chaos";

    /** The key of the permits of a campaign. */
    public static final String PERMITS = "permits";

    /** The use of the lock with this key. */
    public static Use of(String key) {
        if (key.startsWith("leader:")) {
            return ROLE;
        }
        return key.startsWith(NAME + ':' + PERMITS) ? PERMIT : LOCK;
    }
}
