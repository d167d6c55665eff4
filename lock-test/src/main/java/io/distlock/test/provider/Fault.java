package io.distlock.test.provider;

/** How a {@link FaultyLockProvider} answers a kind of call. */
public enum Fault {

    /** Like the provider behind it. */
    NONE,

    /**
     * The call is applied at once. Its answer is held back until {@link FaultyLockProvider#deliver()}, and arrives even if
     * the caller has cancelled, since it was already on its way.
     */
    LATE,

    /** The call is applied, but its answer is lost, and the caller learns that. */
    REPLY_LOST,

    /** An acquisition is not applied, and ends at once as if another had held the lock for the whole wait time. */
    REFUSED,

    /** The call is not applied, and fails. */
    ERROR,

    /** The call is not applied, and throws instead of failing, which no provider may do. */
    THROW,

    /** The call is not applied and never answered. */
    SILENCE
}
