package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What a call costs inside one that holds the key. */
class ReentrancyCostTests {

    private static final int CALLS = 20_000;

    /** 480 bytes once compiled by C2, which need not have happened here; more than 2,200 before it was looked at. */
    private static final int MOST_BYTES = 900;

    static class Inner {

        @DistributedLock(name = "orders", key = "#id")
        public void work(String id) {}
    }

    static class Outer {

        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @DistributedLock(name = "orders", key = "#id")
        public long bytesOfACallInside(String id) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int call = 0; call < CALLS; call++) {
                inner.work(id);
            }
            return (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / CALLS;
        }
    }

    @Test
    void aCallInsideAllocatesLittle() {
        LockTestContext.inMemory().withBean(Inner.class).withBean(Outer.class).run(context -> {
            Outer outer = context.getBean(Outer.class);
            outer.bytesOfACallInside("42");
            assertThat(outer.bytesOfACallInside("42")).isPositive().isLessThan(MOST_BYTES);
        });
    }
}
