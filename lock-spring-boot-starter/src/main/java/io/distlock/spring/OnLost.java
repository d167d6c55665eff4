package io.distlock.spring;

/**
 * What happens to a body that is running when its lock is lost. In both cases the caller gets a
 * {@link io.distlock.LockLostException} once the body has ended. If the body itself failed, the caller gets its exception,
 * with the loss as a suppressed one.
 */
public enum OnLost {

    /**
     * The body runs to its end. For bodies that protect themselves, with
     * {@link io.distlock.HeldLock#ensureHeld() LockContext.current().ensureHeld()} before each step that others can
     * see, or with a fencing token at the resource.
     */
    LEAVE_RUNNING,

    /**
     * The body is asked to stop: the thread of a synchronous body is interrupted, a future or subscription is
     * cancelled. The body decides how to respond to an interrupt.
     *
     * <p>The interrupt reaches the body, never the code after it: when the method returns, the flag is as it would
     * have been without the loss. An {@link InterruptedException} thrown by the body in response does not count as its
     * own failure.
     */
    INTERRUPT
}
