package io.distlock.engine.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.LockClientBuilder;
import io.distlock.engine.ManualEngine;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

@EndsInTime
@SuppressWarnings("LockNotBeforeTry") // what holds between lock and unlock is what the tests are about
class LockViewInterruptTests {

    private final ManualEngine here = new ManualEngine();
    private final LockView lock = here.client.asLock(here.request("a"));

    /** A second attempt would find the first at the store, and take it for another holder. */
    @Test
    void anInterruptOfAnAttemptUnderWayDoesNotMakeASecondOne() throws Exception {
        here.provider.onAcquire(Fault.LATE);
        FutureTask<Boolean> attempt = new FutureTask<>(() -> lock.tryLock() && Thread.interrupted());
        Thread caller = start(attempt);
        ManualEngine.await().until(() -> here.provider.acquires() == 1 && isParked(caller));
        here.provider.heal();
        interrupt(caller);
        here.provider.deliver();
        assertThat(attempt.get()).as("locked, with the flag kept").isTrue();
        assertThat(here.provider.acquires()).isEqualTo(1);
    }

    @Test
    void anInterruptDoesNotCostAWaitingThreadItsPlaceInTheQueue() throws Exception {
        HeldLock held = here.hold("a");
        Queue<String> order = new ConcurrentLinkedQueue<>();
        Thread first = start(turn("first", order));
        ManualEngine.await().until(() -> here.client.waiting().count() == 1 && isParked(first));
        Thread second = start(turn("second", order));
        ManualEngine.await().until(() -> here.client.waiting().count() == 2 && isParked(second));
        interrupt(first);
        ManualEngine.await().until(() -> isParked(first));
        held.release();
        first.join();
        second.join();
        assertThat(order).containsExactly("first", "second");
    }

    private Runnable turn(String name, Queue<String> order) {
        return () -> {
            lock.lock();
            order.add(name);
            lock.unlock();
        };
    }

    private static Thread start(Runnable body) {
        Thread thread = new Thread(body, "caller");
        thread.start();
        return thread;
    }

    /** Returns once the thread has noticed. */
    private static void interrupt(Thread thread) {
        thread.interrupt();
        ManualEngine.await().until(() -> !thread.isInterrupted());
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING;
    }

    /** As the interface has it: only the other forms may be disturbed. */
    @Test
    void anAttemptIsMadeThoughTheThreadIsInterruptedAndTheFlagIsKept() {
        try (LockRuntime runtime = LockRuntime.start();
                LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                        .build()) {
            Lock lock = client.asLock(client.request("orders"));
            Thread.currentThread().interrupt();
            boolean locked = lock.tryLock();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(locked).isTrue();
            lock.unlock();
        } finally {
            Thread.interrupted();
        }
    }
}
