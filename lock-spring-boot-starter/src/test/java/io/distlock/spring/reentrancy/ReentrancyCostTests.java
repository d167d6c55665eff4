package io.distlock.spring.reentrancy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.distlock.spi.Ticker;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What a call costs inside one that holds the key. */
class ReentrancyCostTests {

    private static final int CALLS = 20_000;

    /** 420 bytes once compiled by C2, which need not have happened here; more than 2,200 before it was looked at. */
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
        public long readingsOfACallInside(String id, Readings clock) {
            long before = clock.taken;
            inner.work(id);
            return clock.taken - before;
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

    /** The clocks of this machine, and how often they were read. For one thread. */
    static class Readings implements Ticker {

        private final Ticker clocks = Ticker.system();
        private long taken;

        @Override
        public long nanos() {
            taken++;
            return clocks.nanos();
        }

        @Override
        public long wallMillis() {
            return clocks.wallMillis();
        }
    }

    @Test
    void aCallInsideReadsTheClockOnceBeforeItsBodyAndOnceAfterIt() {
        Readings clock = new Readings();
        LockTestContext.inMemory()
                .withBean(LockRuntime.class, () -> new LockRuntime(clock, new ManualScheduler(new ManualTicker())))
                .withBean(Inner.class)
                .withBean(Outer.class)
                .run(context -> assertThat(context.getBean(Outer.class).readingsOfACallInside("42", clock))
                        .isEqualTo(2));
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
