package io.distlock;

/**
 * Receives the events of a client's locks: losses on the client's loss thread, all others on the thread where they
 * happened, which may be the driver's or the scheduler's. A listener must not block. Its exceptions are logged and
 * otherwise ignored.
 */
@FunctionalInterface
public interface LockListener {

    void onEvent(LockEvent event);
}
