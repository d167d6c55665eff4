package io.distlock.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.groups.Tuple.tuple;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.WaiterInfo;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One of several permits: any will do, each is a lock of its own, and nothing is left of those that were not needed. */
@EndsInTime
@SuppressWarnings("LockNotBeforeTry") // one test is about what a view does between lock and unlock
class PermitTests {

    private static final LockKey KEY = LockKey.of("imports");

    private final ManualEngine here = new ManualEngine();

    // --- how many hold, and which ---

    @Test
    void asManyHoldAtOnceAsThereArePermits() {
        List<HeldLock> held =
                List.of(here.client.acquire(now(3)), here.other.acquire(now(3)), here.client.acquire(now(3)));
        assertThat(held).extracting(HeldLock::permit).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(here.client.tryAcquire(now(3))).isEmpty();
        assertThat(here.other.tryAcquire(now(3))).isEmpty();
    }

    @Test
    void eachHolderHasTheKeyAndTheTokenOfItsPermit() {
        HeldLock first = here.client.acquire(now(2));
        HeldLock second = here.client.acquire(now(2));
        assertThat(first.keys()).containsExactly(KEY.permit(first.permit()));
        assertThat(second.sequencers().get(0).key()).isEqualTo(KEY.permit(second.permit()));
        assertThat(here.client.isCurrent(first.sequencers().get(0))).isTrue();
        first.release();
        HeldLock next = here.client.acquire(now(2));
        assertThat(next.permit()).isEqualTo(first.permit());
        assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(here.client.isCurrent(first.sequencers().get(0))).isFalse();
    }

    @Test
    void aFreePermitIsTakenWithOneQuestionAtARandomPlace() {
        Set<Integer> seen = new HashSet<>();
        for (int round = 1; round <= 300; round++) {
            HeldLock held = here.client.acquire(permits(4));
            seen.add(held.permit());
            held.release();
            assertThat(here.provider.acquires()).isEqualTo(round);
        }
        assertThat(seen).containsExactlyInAnyOrder(1, 2, 3, 4);
    }

    @Test
    void allSixtyFourAreTaken() {
        for (int holder = 1; holder <= 64; holder++) {
            here.other.acquire(now(64));
        }
        assertThat(here.client.tryAcquire(now(64))).isEmpty();
        assertThat(here.provider.acquires()).isEqualTo(64);
    }

    @Test
    void onePermitIsThePlainLock() {
        here.other.acquire(here.now("imports"));
        assertThat(here.client.tryAcquire(now(1))).isEmpty();
        assertThat(here.client.acquire(now(3)).permit()).isNotEqualTo(1);
    }

    @Test
    void aPermitHeldInThisProcessIsNotAskedForAtTheStore() {
        here.client.acquire(now(3));
        here.client.acquire(now(3));
        here.client.acquire(now(3));
        int before = here.provider.acquires();
        assertThat(here.client.tryAcquire(now(3))).isEmpty();
        assertThat(here.provider.acquires()).isEqualTo(before);
    }

    @Test
    void whenTheNumberIsLoweredTheLargerOneBoundsUntilTheLastOldHolderIsGone() {
        List<HeldLock> old = new ArrayList<>();
        for (int holder = 1; holder <= 3; holder++) {
            old.add(here.other.acquire(now(3)));
        }
        HeldLock third =
                old.stream().filter(each -> each.permit() == 3).findFirst().orElseThrow();
        third.release();
        // Two at most, and permits 1 and 2 are still held.
        assertThat(here.client.tryAcquire(now(2))).isEmpty();
        old.get(old.get(0) == third ? 1 : 0).release();
        assertThat(here.client.acquire(now(2)).permit()).isLessThanOrEqualTo(2);
        assertThat(here.client.tryAcquire(now(2))).isEmpty();
        // An old instance still knows of a third one.
        assertThat(here.other.acquire(now(3)).permit()).isEqualTo(3);
    }

    // --- waiting ---

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aWaiterGetsTheFirstPermitThatIsReleasedAndStandsNowhereAfterwards(int released) {
        List<HeldLock> held = holdAllElsewhere(3);
        var asked = here.start(permits(3));
        for (int permit = 1; permit <= 3; permit++) {
            assertThat(waitersAt(permit)).isEqualTo(1);
        }
        held.get(released - 1).release();
        HeldLock granted = asked.join().orElseThrow();
        assertThat(granted.permit()).isEqualTo(released);
        for (int permit = 1; permit <= 3; permit++) {
            assertThat(waitersAt(permit)).isZero();
        }
        granted.release();
        held.forEach(HeldLock::release);
        assertNothingLeft(3);
    }

    @Test
    void waitersInAProcessAreServedInTheirOrderWhicheverPermitIsReleased() {
        List<HeldLock> held = holdAllElsewhere(3);
        var first = here.start(permits(3));
        var second = here.start(permits(3));
        var third = here.start(permits(3));
        held.get(2).release();
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        held.get(0).release();
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        first.join().orElseThrow().release();
        assertThat(third.join().orElseThrow().permit()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoGrantsAtTheSameInstantOneIsGivenBackUnseen(boolean inOrder) {
        List<HeldLock> held = holdAllElsewhere(3);
        here.provider.onAcquire(Fault.LATE);
        var asked = here.start(permits(3));
        held.get(inOrder ? 0 : 1).release();
        held.get(inOrder ? 1 : 0).release();
        assertThat(here.atStore("imports")).isPresent();
        assertThat(inspect(2)).isPresent();
        assertThat(asked).isNotDone();
        here.provider.deliver();
        HeldLock granted = asked.join().orElseThrow();
        assertThat(inspect(3 - granted.permit())).isEmpty();
        assertThat(here.eventNames()).containsExactly("Acquired");
        granted.release();
        held.get(2).release();
        assertNothingLeft(3);
    }

    @Test
    void aPermitThatIsGivenBackGoesToTheNextWaiterOfTheProcess() {
        List<HeldLock> held = holdAllElsewhere(3);
        here.provider.onAcquire(Fault.LATE);
        var first = here.start(permits(3));
        var second = here.start(permits(3));
        held.get(0).release();
        held.get(1).release();
        here.provider.deliver();
        here.provider.heal();
        here.provider.deliver();
        assertThat(first.join()).isPresent();
        assertThat(second.join()).isPresent();
    }

    @Test
    void othersThroughoutTheWaitTimeMeanNoPermit() {
        List<HeldLock> held = holdAllElsewhere(3);
        var asked = here.start(permits(3));
        here.advanceMillis(4_999);
        assertThat(asked).isNotDone();
        here.advanceMillis(1);
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(here.events(LockEvent.NotAcquired.class))
                .extracting(LockEvent::key, LockEvent.NotAcquired::waited)
                .containsExactly(tuple(KEY, Duration.ofSeconds(5)));
        held.forEach(HeldLock::release);
        assertNothingLeft(3);
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> {
                    holdAllElsewhere(3);
                    here.client.acquire(now(3));
                })
                .satisfies(refused -> assertThat(refused.key()).isEqualTo(KEY));
    }

    @Test
    void cancellingLeavesNothingAtAnyPermit() {
        List<HeldLock> held = holdAllElsewhere(3);
        var asked = here.start(permits(3));
        asked.cancel(true);
        for (int permit = 1; permit <= 3; permit++) {
            assertThat(waitersAt(permit)).isZero();
        }
        assertThat(here.eventNames()).containsExactly("Failed");
        assertThat(here.events(LockEvent.Failed.class).get(0).key()).isEqualTo(KEY);
        held.forEach(HeldLock::release);
        assertNothingLeft(3);
    }

    @Test
    void cancellingWhileAGrantIsUnderWayGivesItBack() {
        here.provider.onAcquire(Fault.LATE);
        var asked = here.start(permits(3));
        asked.cancel(true);
        here.provider.deliver();
        assertThat(here.provider.acquires()).isEqualTo(1);
        assertNothingLeft(3);
    }

    @Test
    void closingTheClientFailsAWaiterOnce() {
        List<HeldLock> held = holdAllElsewhere(3);
        var asked = here.client.acquireAsync(permits(3));
        here.client.close();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .withMessageContaining("closed");
        assertThat(here.eventNames()).containsExactly("Failed");
        held.forEach(HeldLock::release);
        assertNothingLeft(3);
    }

    @Test
    void aRequestAfterTheClientWasClosedFails() {
        here.client.close();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.client.acquire(permits(3)));
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.client.acquire(now(3)));
        assertNothingLeft(3);
    }

    // --- trouble ---

    @Test
    void aPermitWhoseStoreFailsDoesNotKeepAWaiterFromTheOthers() {
        here.provider.onAcquire(KEY, Fault.ERROR);
        here.provider.onAcquire(KEY.permit(2), Fault.THROW);
        assertThat(here.client.acquire(permits(3)).permit()).isEqualTo(3);
        assertThat(here.eventNames()).containsExactly("Acquired");
    }

    @Test
    void ifOnePermitIsUnknownAndOthersHoldTheRestNobodyIsBlamed() {
        holdAllElsewhere(3);
        here.provider.onAcquire(KEY.permit(2), Fault.ERROR);
        var asked = here.client.acquireAsync(permits(3));
        here.advanceMillis(5_000);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .withCauseInstanceOf(LockUnavailableException.class);
        assertThat(here.eventNames()).containsExactly("Failed");
    }

    @Test
    void aSingleAttemptEndsWithTheFirstFailure() {
        here.provider.onAcquire(Fault.ERROR);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.client.acquire(now(64)));
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.provider.heal();
        assertNothingLeft(3);
    }

    @Test
    void aLostPermitIsFreeAgainAndReportedWithItsKey() {
        HeldLock held = here.client.acquire(now(2).withRenew(false));
        List<LockLoss> losses = new ArrayList<>();
        held.onLost(losses::add);
        here.advanceMillis(29_698);
        assertThat(losses).extracting(LockLoss::key).containsExactly(KEY.permit(held.permit()));
        assertThat(held.isHeld()).isFalse();
        here.client.acquire(now(2));
        here.client.acquire(now(2));
    }

    @Test
    void permitsAreRenewed() {
        List<HeldLock> held = List.of(here.client.acquire(now(2)), here.client.acquire(now(2)));
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(held).allMatch(HeldLock::isHeld);
        assertThat(here.other.tryAcquire(now(2))).isEmpty();
    }

    // --- what is seen of it ---

    @Test
    void aCallThatWaitsIsListedOnceAndAHolderWithItsPermit() {
        holdAllElsewhere(2);
        HeldLock held = here.client.acquire(now(3));
        var asked = here.start(permits(3));
        assertThat(here.client.waiting()).extracting(WaiterInfo::key).containsExactly(KEY);
        assertThat(here.client.held())
                .extracting(HeldLockInfo::key, HeldLockInfo::permit)
                .containsExactly(tuple(KEY.permit(3), 3));
        asked.cancel(true);
        held.release();
    }

    @Test
    void theListenerOfARequestHearsOfOneGrant() {
        List<String> heard = new ArrayList<>();
        here.client.addRequestListener(request -> new LockListener.OfRequest() {

            @Override
            public void granted(HeldLock lock) {
                heard.add("granted " + lock.permit());
            }

            @Override
            public void failed(Throwable cause) {
                heard.add("failed " + cause);
            }
        });
        List<HeldLock> held = holdAllElsewhere(3);
        var asked = here.start(permits(3));
        held.get(1).release();
        assertThat(asked).isDone();
        assertThat(heard).containsExactly("granted 2");
    }

    @Test
    void theTimeOfTheEventIsThatOfTheRequest() {
        List<HeldLock> held = holdAllElsewhere(2);
        here.provider.onAcquire(Fault.LATE);
        here.start(permits(2));
        here.advanceMillis(100);
        here.provider.heal();
        here.provider.deliver();
        here.advanceMillis(100);
        held.get(0).release();
        held.get(1).release();
        assertThat(here.events(LockEvent.Acquired.class))
                .extracting(LockEvent.Acquired::waited)
                .allMatch(waited -> waited.toMillis() >= 200);
    }

    // --- as a java.util.concurrent Lock ---

    @Test
    void aViewIsEnteredAgainUnderThePermitThatTheThreadHas() throws InterruptedException {
        LockClient.LockView lock = here.client.asLock(permits(2));
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(here.client.held()).hasSize(1);
        assertThat(CompletableFuture.supplyAsync(() -> lock.tryLock() && release(lock))
                        .join())
                .isTrue();
        here.other.acquire(now(2));
        assertThat(CompletableFuture.supplyAsync(lock::tryLock).join()).isFalse();
        lock.unlock();
        lock.unlock();
        assertThat(here.client.held()).isEmpty();
    }

    private static boolean release(LockClient.LockView lock) {
        lock.unlock();
        return true;
    }

    private LockRequest permits(int permits) {
        return here.client.request(KEY).withPermits(permits);
    }

    private LockRequest now(int permits) {
        return permits(permits).withWaitTime(Duration.ZERO);
    }

    /** The holders by their permits. */
    private List<HeldLock> holdAllElsewhere(int permits) {
        List<HeldLock> held = new ArrayList<>();
        for (int permit = 1; permit <= permits; permit++) {
            held.add(here.other.acquire(here.other.request(KEY.permit(permit)).withWaitTime(Duration.ZERO)));
        }
        return held;
    }

    private Optional<LockStatus> inspect(int permit) {
        return here.store.inspect(KEY.permit(permit)).toCompletableFuture().join();
    }

    private int waitersAt(int permit) {
        return inspect(permit).flatMap(LockStatus::waiters).orElse(0);
    }

    private void assertNothingLeft(int permits) {
        here.advanceMillis(10_000);
        here.assertNothingLeft("imports");
        for (int permit = 2; permit <= permits; permit++) {
            assertThat(inspect(permit)).as("permit %s", permit).isEmpty();
        }
        assertThat(here.openWork()).as("open work").isDone();
    }
}
