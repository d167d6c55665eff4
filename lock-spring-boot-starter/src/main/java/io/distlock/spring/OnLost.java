package io.distlock.spring;

/**
 * What becomes of a body that is running when its lock is lost. In both cases the caller gets a
 * {@link io.distlock.LockLostException} once the body has ended, unless the body itself failed; then it is suppressed
 * into that failure.
 */
public enum OnLost {

    /**
     * It runs to its end. For bodies that look after themselves, with
     * {@link io.distlock.HeldLock#ensureHeld() LockContext.current().ensureHeld()} before each step that others can
     * see, or with a fencing token at the resource.
     */
    LEAVE_RUNNING,

    /**
     * It is asked to stop: the thread of a synchronous body is interrupted, a future is cancelled, a subscription is
     * cancelled. What it does about an interrupt is the body's own affair.
     *
     * <p>The interrupt reaches the body and never what comes after it: when the method returns, the flag is as it
     * would have been without the loss. An {@link InterruptedException} with which the body answers it counts as
     * obedience and not as a failure.
     */
    INTERRUPT
}
