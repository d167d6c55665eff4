package io.distlock;

/**
 * Is told of what happens to the locks of a client. Loss is told on the client's thread for losses;
 * everything else on the thread where it happened, which may be the driver's or the scheduler's: a listener must
 * not block. What it throws is logged and harms nobody.
 */
@FunctionalInterface
public interface LockListener {

    void onEvent(LockEvent event);
}
