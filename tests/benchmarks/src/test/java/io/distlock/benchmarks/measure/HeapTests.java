package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HeapTests {

    private static final int MIB = 1 << 20;

    /** As while the watches of locks that were just acquired are created. */
    @Test
    void whatIsAllocatedMeanwhileDoesNotCount() throws InterruptedException {
        long before = Heap.reachable();
        AtomicBoolean enough = new AtomicBoolean();
        CountDownLatch busy = new CountDownLatch(100);
        Thread other = new Thread(() -> {
            while (!enough.get()) {
                assertThat(new byte[MIB / 16]).isNotNull();
                busy.countDown();
            }
        });
        other.start();
        try {
            busy.await();
            assertThat(Heap.reachable() - before).isLessThan(4 * MIB);
        } finally {
            enough.set(true);
            other.join();
        }
    }

    @Test
    void whatIsReachableCounts() {
        long before = Heap.reachable();
        byte[] kept = new byte[16 * MIB];
        assertThat(Heap.reachable() - before).isBetween(15L * MIB, 20L * MIB);
        assertThat(kept).hasSize(16 * MIB);
    }
}
