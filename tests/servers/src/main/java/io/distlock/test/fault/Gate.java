package io.distlock.test.fault;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Holds up all who want to pass while it is shut. Safe for use by several threads. */
final class Gate {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean shut;

    void shut() {
        set(true);
    }

    void open() {
        set(false);
    }

    void pass() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (shut) {
                opened.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void set(boolean toShut) {
        lock.lock();
        try {
            shut = toShut;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
