package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** The race between the news of a loss and the end of the body. */
class InterruptOnLossTests {

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

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // the other thread may have no other processor to run on
    void newsThatComeAsTheBodyEndsLeaveNoFlagBehind() throws Throwable {
        Consumer<LockLoss>[] listener = listenerSlot();
        HeldLock lock = lock(wanted -> listener[0] = wanted);
        CyclicBarrier bodyIsAboutToEnd = new CyclicBarrier(2);
        int rounds = 20_000;
        CountDownLatch told = new CountDownLatch(rounds);
        Thread teller = new Thread(() -> {
            for (int round = 0; round < rounds; round++) {
                await(bodyIsAboutToEnd);
                listener[0].accept(LOSS);
                told.countDown();
            }
        });
        teller.start();
        int flagsLeft = 0;
        for (int round = 0; round < rounds; round++) {
            InterruptOnLoss.run(lock, () -> {
                await(bodyIsAboutToEnd);
                return null;
            });
            long expected = (long) rounds - round - 1;
            while (told.getCount() > expected) {
                Thread.yield();
            }
            flagsLeft += Thread.interrupted() ? 1 : 0;
        }
        teller.join();
        assertThat(flagsLeft).isZero();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // no generic arrays
    private static Consumer<LockLoss>[] listenerSlot() {
        return new Consumer[1];
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception broken) {
            throw new IllegalStateException(broken);
        }
    }
}
