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

    /** Tests before this one may leave something that goes meanwhile: less than before, and more than afterwards. */
    @Test
    void whatIsReachableCounts() {
        long before = Heap.reachable();
        byte[][] kept = {new byte[16 * MIB]};
        long meanwhile = Heap.reachable();
        assertThat(kept[0]).hasSize(16 * MIB);
        kept[0] = new byte[0];
        long afterwards = Heap.reachable();
        assertThat(meanwhile - before).isLessThan(20L * MIB);
        assertThat(meanwhile - afterwards).isGreaterThan(15L * MIB);
    }
}
