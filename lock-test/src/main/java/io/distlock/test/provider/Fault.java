package io.distlock.test.provider;

/** How a {@link FaultyLockProvider} answers a kind of call. */
public enum Fault {

    /** As the provider behind it does. */
    NONE,

    /**
     * The call is applied at once; its answer is held back until {@link FaultyLockProvider#deliver()}, and comes even
     * if the caller has cancelled: it was on its way.
     */
    LATE,

    /** The call is applied; its answer is lost, and the caller is told that it is. */
    REPLY_LOST,

    /** Of an acquisition: not applied, and answered at once as if another had the lock for the whole wait time. */
    REFUSED,

    /** The call is not applied, and fails. */
    ERROR,

    /** The call is not applied, and throws instead of failing, which no provider may do. */
    THROW,

    /** The call is not applied, and never answered. */
    SILENCE
}
