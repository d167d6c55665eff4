package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** The race between the news of a loss and the end of the body. */
class InterruptOnLossTests {

    /** On a busy machine, each round takes two turns at a processor. */
    private static final int MOST_ROUNDS = 20_000;

    private static final int FEWEST_ROUNDS = 1_000;
    private static final long SECONDS = 20;

    private static final LockLoss LOSS = new LockLoss(
            LockKey.of("job"),
            LockMode.EXCLUSIVE,
            new FencingToken(1),
            LockLoss.Reason.EXPIRED,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));

    /** A lock that only takes down who wants to know of its loss. */
    private static HeldLock lock(Consumer<Consumer<LockLoss>> listeners) {
        HeldLock lock = Mockito.mock(HeldLock.class);
        Mockito.doAnswer(call -> {
                    listeners.accept(call.getArgument(0));
                    return null;
                })
                .when(lock)
                .onLost(Mockito.any());
        return lock;
    }

    @Test
    void newsThatComeAfterTheBodyInterruptNobody() throws Throwable {
        Consumer<LockLoss>[] listener = listenerSlot();
        InterruptOnLoss.run(lock(wanted -> listener[0] = wanted), () -> "done");
        listener[0].accept(LOSS);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Somebody else wants the thread to end, and the body has not seen it yet. */
    @Test
    void anInterruptFromElsewhereOutlivesTheLossThatFollowsIt() throws Throwable {
        Consumer<LockLoss>[] listener = listenerSlot();
        InterruptOnLoss.run(lock(wanted -> listener[0] = wanted), () -> {
            Thread.currentThread().interrupt();
            listener[0].accept(LOSS);
            return "done";
        });
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theInterruptOfTheLossEndsWithTheBody() throws Throwable {
        Consumer<LockLoss>[] listener = listenerSlot();
        InterruptOnLoss.run(lock(wanted -> listener[0] = wanted), () -> {
            listener[0].accept(LOSS);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return "done";
        });
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // the other thread may have no other processor to run on
    void newsThatComeAsTheBodyEndsLeaveNoFlagBehind() throws Throwable {
        Consumer<LockLoss>[] listener = listenerSlot();
        HeldLock lock = lock(wanted -> listener[0] = wanted);
        CyclicBarrier bodyIsAboutToEnd = new CyclicBarrier(2);
        AtomicInteger told = new AtomicInteger();
        Thread teller = new Thread(() -> {
            while (meets(bodyIsAboutToEnd)) {
                listener[0].accept(LOSS);
                told.incrementAndGet();
            }
        });
        teller.start();
        int flagsLeft = 0;
        long begun = System.nanoTime();
        for (int round = 1; round <= MOST_ROUNDS && (round <= FEWEST_ROUNDS || elapsed(begun) < SECONDS); round++) {
            InterruptOnLoss.run(lock, () -> meets(bodyIsAboutToEnd));
            while (told.get() < round) {
                Thread.yield();
            }
            flagsLeft += Thread.interrupted() ? 1 : 0;
        }
        teller.interrupt();
        teller.join();
        assertThat(flagsLeft).isZero();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // no generic arrays
    private static Consumer<LockLoss>[] listenerSlot() {
        return new Consumer[1];
    }

    private static long elapsed(long beginNanos) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNanos);
    }

    private static boolean meets(CyclicBarrier barrier) {
        try {
            barrier.await();
            return true;
        } catch (InterruptedException over) {
            return false;
        } catch (BrokenBarrierException broken) {
            throw new IllegalStateException(broken);
        }
    }
}
