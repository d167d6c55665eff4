package io.distlock;

/**
 * Is notified of the events of a client's locks: of losses on the client's thread for losses, of all else on the thread
 * where it happened, which may be the driver's or the scheduler's. A listener must not block. What it throws is logged and
 * has no other effect.
 */
@FunctionalInterface
public interface LockListener {

    void onEvent(LockEvent event);
}
