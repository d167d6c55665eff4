package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connections are closed next: what is under way, and what has to be taken back, goes before. */
@Timeout(240)
class AcquireLoopCloseTests extends AcquireLoopFixture {

    /** Patient enough for a machine that stands still. */
    private final AcquireLoop patient = new AcquireLoop(runtime, store, Duration.ofDays(1));

    @Test
    void aTryThatIsUnderWayIsWaitedForAndWhatItLeavesIsWithdrawn() throws InterruptedException {
        var asked = patient.acquire(
                new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", LockOptions.defaults(), Deadline.in(LONG, ticker)));
        asked.cancel(true);
        store.onWithdraw = Release.RELEASED;
        AtomicBoolean answered = new AtomicBoolean();
        AtomicBoolean waited = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            patient.close();
            waited.set(answered.get());
        });
        closing.start();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        answered.set(true);
        store.grant(KEY, ticker.now());
        closing.join();
        assertThat(waited).isTrue();
        assertThat(store.withdrawals).isEqualTo(1);
        assertNothingLeft();
    }

    @Test
    void aWithdrawalThatIsUnderWayIsWaitedFor() throws InterruptedException {
        store.isSlowToWithdraw = true;
        patient.acquire(
                new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", LockOptions.defaults(), Deadline.in(LONG, ticker)));
        store.fail(true);
        AtomicBoolean answered = new AtomicBoolean();
        AtomicBoolean waited = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            patient.close();
            waited.set(answered.get());
        });
        closing.start();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        answered.set(true);
        store.withdrawal.complete(Release.NOT_OWNER);
        closing.join();
        assertThat(waited).isTrue();
    }
}
