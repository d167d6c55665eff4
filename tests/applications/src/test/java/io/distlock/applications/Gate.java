package io.distlock.applications;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Stops the body of a locked method until the test lets it continue. */
public final class Gate {

    private volatile CountDownLatch arrived = new CountDownLatch(1);
    private volatile CountDownLatch opened = new CountDownLatch(1);

    /** For the next test. */
    public void reset() {
        open();
        arrived = new CountDownLatch(1);
        opened = new CountDownLatch(1);
    }

    /** Called by the body. */
    public void pass() throws InterruptedException {
        arrived.countDown();
        require(opened);
    }

    public void awaitArrival() throws InterruptedException {
        require(arrived);
    }

    public void open() {
        opened.countDown();
    }

    private static void require(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("nobody came");
        }
    }
}
