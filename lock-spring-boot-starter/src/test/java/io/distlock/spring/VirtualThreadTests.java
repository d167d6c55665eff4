package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.test.process.VirtualThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/**
 * Virtual threads let go of their carrier while they wait for a lock and while it is renewed for them, as the JVM's
 * own record tells. Where there are no virtual threads there is nothing to test.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTests {

    @TempDir
    Path folder;

    static class Jobs {

        @DistributedLock(name = "job", waitTime = "1m", leaseTime = "8s")
        public void run(BooleanSupplier isDone) {
            while (!isDone.getAsBoolean()) {
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        }
    }

    /** To park in a class initializer pins on each JVM: shows that the record would tell. */
    static class Pinning {

        static {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }

        static void initialize() {}
    }

    @Test
    void theRecordTellsOfAPinnedThread() throws Exception {
        assertThat(VirtualThreads.pinnedBy(folder, List.of(Pinning::initialize)))
                .isNotEmpty();
    }

    @Test
    void waitingAndBeingRenewedPinNoThread() {
        AtomicInteger renewals = new AtomicInteger();
        LockTestContext.inMemory()
                .withBean(
                        LockListener.class,
                        () -> event -> renewals.addAndGet(event instanceof LockEvent.Renewed ? 1 : 0))
                .withBean(Jobs.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    // What is loaded for the first time may pin on its own account.
                    jobs.run(() -> true);
                    List<Runnable> tasks = new ArrayList<>();
                    tasks.add(() -> jobs.run(() -> renewals.get() > 0));
                    for (int task = 0; task < 50; task++) {
                        tasks.add(() -> jobs.run(() -> true));
                    }
                    assertThat(VirtualThreads.pinnedBy(folder, tasks)).isEmpty();
                    assertThat(renewals).hasPositiveValue();
                });
    }
}
