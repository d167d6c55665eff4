package io.distlock.chaos.campaign;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits between faults and while they last; no longer once the campaign is over. Thread-safe. */
final class Pause {

    private final CountDownLatch over = new CountDownLatch(1);

    void of(Duration time) {
        try {
            if (over.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", interrupt);
        }
    }

    void upTo(Duration most, Random random) {
        of(Duration.ofMillis(random.nextInt((int) Math.max(1, most.toMillis()))));
    }

    boolean isOver() {
        return over.getCount() == 0;
    }

    void end() {
        over.countDown();
    }
}
