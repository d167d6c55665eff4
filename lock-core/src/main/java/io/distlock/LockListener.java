package io.distlock;

/**
 * Receives the events of a client's locks: losses on the client's loss thread, all others on the thread where they
 * happened, which may be the driver's or the scheduler's. A listener must not block. Its exceptions are logged and
 * otherwise ignored.
 */
@FunctionalInterface
public interface LockListener {

    void onEvent(LockEvent event);

    /**
     * Is notified of how one request ends and, if the lock is granted, of how the lock ends. Each is called where the
     * answer is delivered: on the thread that waits for it or, for asynchronous calls, on the client's callback executor;
     * losses on the client's loss thread, which must not be blocked. Exceptions are logged and otherwise ignored.
     */
    interface OfRequest {

        /** All of the request's keys were granted. If the caller has given up meanwhile, the release follows. */
        default void granted(HeldLock lock) {}

        /** Others held the lock for the whole wait time. */
        default void notAcquired() {}

        /** The store did not answer, the client was closed, or the caller gave up. */
        default void failed(Throwable cause) {}

        /** The holder released the granted lock. Never {@link Release#NOT_OWNER}, which is a loss. */
        default void released(Release outcome) {}

        /** The granted lock was lost. */
        default void lost(LockLoss loss) {}
    }
}
