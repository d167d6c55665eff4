package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One who waits, against a store whose answers come when the test says so. */
class EtcdAcquisitionTests extends EtcdAcquisitionFixture {

    @Test
    void theyAreServedInTheOrderOfTheirArrival() {
        var first = acquire(provider);
        var second = acquire(other);
        var third = acquire(provider);
        Grant one = granted(first);
        assertThat(second).isNotDone();
        release(provider, one);
        Grant two = granted(second);
        assertThat(two.lease().token()).isGreaterThan(one.lease().token());
        assertThat(third).isNotDone();
        release(other, two);
        release(provider, granted(third));
        assertThat(places()).isEmpty();
    }

    @Test
    void readersPassTogetherAndWritersAlone() {
        var reader = acquire(provider, LockMode.SHARED, PATIENT);
        var second = acquire(other, LockMode.SHARED, PATIENT);
        var writer = acquire(other);
        var late = acquire(provider, LockMode.SHARED, PATIENT);
        release(provider, granted(reader));
        assertThat(writer).isNotDone();
        release(other, granted(second));
        assertThat(late).isNotDone();
        release(other, granted(writer));
        release(provider, granted(late));
    }

    /** The one ahead may be lost, and the watch may have missed it. */
    @Test
    void oneWhoWaitsLooksForItselfAfterSecondsThoughItsWatchesSayNothing() {
        Grant held = granted(acquire(other));
        var waiter = acquire(provider);
        etcd.ticker.advance(UNWATCHED);
        etcd.watches().tellNothing();
        release(other, held);
        etcd.ticker.advance(TRUST.minus(MOMENT));
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(MOMENT);
        assertThat(waiter).isCompleted();
    }

    @Test
    void itTrustsItsWatchesForAThirdOfAShortLease() {
        Grant held = granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withLeaseTime(Duration.ofSeconds(6)));
        etcd.ticker.advance(UNWATCHED);
        etcd.watches().tellNothing();
        release(other, held);
        etcd.ticker.advance(Duration.ofSeconds(2).minus(MOMENT));
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(MOMENT);
        assertThat(waiter).isCompleted();
    }

    @Test
    void itWatchesTheOneAheadAtOnceAndItselfAfterAMoment() {
        granted(acquire(other));
        acquire(provider);
        assertThat(etcd.watchers()).isEqualTo(1);
        etcd.ticker.advance(UNWATCHED);
        // So does the holder.
        assertThat(etcd.watchers()).isEqualTo(3);
    }

    @Test
    void aPlaceThatIsDeletedByHandIsTakenAgainAtTheEnd() {
        Grant held = granted(acquire(other));
        var waiter = acquire(provider);
        var next = acquire(other);
        etcd.ticker.advance(UNWATCHED);
        etcd.remove(places().get(1));
        assertThat(places()).hasSize(3);
        release(other, held);
        assertThat(waiter).isNotDone();
        release(other, granted(next));
        assertThat(waiter).isCompleted();
    }

    @Test
    void whoGivesUpLeavesNothingAndHoldsNobodyUp() {
        Grant held = granted(acquire(other));
        var waiter = acquire(provider);
        assertThat(refusals).hasPositiveValue();
        var next = acquire(other);
        waiter.cancel(true);
        assertThat(places()).hasSize(2);
        // Of the one behind it, which is now behind the holder.
        etcd.ticker.advance(UNWATCHED.dividedBy(2));
        assertThat(etcd.watchers()).isEqualTo(1);
        release(other, held);
        assertThat(next).isCompleted();
    }

    @Test
    void atItsDeadlineItLeavesAndIsToldThatAnotherHasIt() {
        granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        etcd.ticker.advance(Duration.ofSeconds(3).minus(MOMENT));
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(MOMENT);
        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(places()).hasSize(1);
        assertThat(etcd.watchers()).isEqualTo(1);
    }

    /** Whether the store was there to the end is known only by an answer. */
    @Test
    void withoutAnAnswerAtItsDeadlineItKnowsNothing() {
        granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        etcd.holdBack();
        etcd.ticker.advance(Duration.ofSeconds(3).plus(FakeEtcd.CALL_TIMEOUT));
        assertThat(waiter).isCompletedExceptionally();
        assertThat(waiter.handle((none, failure) -> failure))
                .isCompletedWithValueMatching(failure -> failure instanceof LockUnavailableException);
    }

    @Test
    void anAnswerThatIsLateByATenthOfASecondStillCounts() {
        etcd.holdBack();
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        etcd.ticker.advance(Duration.ofMillis(3099));
        assertThat(waiter).isNotDone();
        etcd.answerAll();
        granted(waiter);
    }

    @Test
    void afterTheLossOfTheLeaseAheadItWaitsForASecond() {
        granted(acquire(other));
        var waiter = acquire(provider);
        etcd.revoke(etcd.leaseIds().get(0));
        assertThat(failures).hasPositiveValue();
        etcd.ticker.advance(GRACE.minus(MOMENT));
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(MOMENT);
        granted(waiter);
    }

    @Test
    void theLongestLockDelayThatIsKnownCountsInsteadOfTheSecond() {
        for (int ownSeconds : List.of(0, 3, 5)) {
            try (FakeEtcd store = new FakeEtcd()) {
                EtcdLockProvider holding = store.provider();
                EtcdLockProvider waiting = store.provider();
                holding.acquire(new LeaseRequest(
                        KEY,
                        LockMode.EXCLUSIVE,
                        "holder",
                        PATIENT.withLockDelay(Duration.ofSeconds(4)),
                        Deadline.in(LEASE, store.ticker)));
                var waiter = waiting.acquire(new LeaseRequest(
                        KEY,
                        LockMode.EXCLUSIVE,
                        "waiter",
                        PATIENT.withLockDelay(Duration.ofSeconds(ownSeconds)),
                        Deadline.in(Duration.ofHours(1), store.ticker)));
                store.revoke(store.leaseIds().get(0));
                store.ticker.advance(Duration.ofSeconds(Math.max(4, ownSeconds)).minus(MOMENT));
                assertThat(waiter).isNotDone();
                store.ticker.advance(MOMENT);
                assertThat(waiter).isCompleted();
            }
        }
    }

    /** Its own lease is found lost later, and is the older loss of the two when the next place is taken. */
    @Test
    void anOlderLossDoesNotShortenTheGraceOfANewerOne() {
        granted(acquire(other));
        var waiter = acquire(provider);
        long holders = etcd.leaseIds().get(0);
        long own = etcd.leaseIds().get(1);
        // Lost for another lock of this process, a moment ago.
        provider.queues
                .sessions
                .enter(request("another", PATIENT), LEASE)
                .join()
                .lost();
        etcd.ticker.advance(Duration.ofMillis(600));
        etcd.revoke(holders);
        // It takes another place, on another session, and has seen the loss of the holder's lease a moment ago.
        etcd.ticker.advance(Duration.ofMillis(100));
        etcd.revoke(own);
        etcd.ticker.advance(Duration.ofMillis(899));
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(Duration.ofMillis(101));
        granted(waiter);
    }

    private LeaseRequest request(String owner, LockOptions options) {
        return new LeaseRequest(
                LockKey.of("another"), LockMode.EXCLUSIVE, owner, options, Deadline.in(LEASE, etcd.ticker));
    }

    @Test
    void oneWhoGivesUpDuringTheGraceStaysInTheQueueUntilThen() {
        granted(acquire(other));
        var waiter = acquire(provider);
        etcd.revoke(etcd.leaseIds().get(0));
        waiter.cancel(true);
        etcd.ticker.advance(GRACE.minus(MOMENT));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
    }

    @Test
    void aPlaceThatMayHaveBeenTakenIsWithdrawnAndAnotherIsTaken() {
        granted(acquire(provider, LockMode.SHARED, PATIENT));
        for (boolean carriedOut : List.of(true, false)) {
            etcd.holdBack();
            var waiter = acquire(provider, LockMode.SHARED, PATIENT);
            FakeEtcd.Call taking = etcd.pending.remove(0);
            if (carriedOut) {
                taking.carryOut();
            }
            taking.breakOff();
            etcd.answerAtOnce();
            etcd.ticker.advance(Duration.ofSeconds(2));
            Grant grant = granted(waiter);
            // It arrives in the end.
            taking.carryOut();
            release(provider, grant);
            assertThat(places()).hasSize(1);
        }
    }

    @Test
    void aGrantThatNobodyWaitsForAnyMoreIsGivenBack() {
        granted(acquire(other)).lease();
        etcd.holdBack();
        var waiter = acquire(provider);
        waiter.cancel(true);
        etcd.answerAtOnce();
        etcd.answerAll();
        assertThat(places()).hasSize(1);
    }

    /** It would soon expire. One that is not renewed needs its whole lease. */
    @Test
    void aGrantOnASessionThatWasExtendedLongAgoExtendsItFirst() {
        LockOptions brief = PATIENT.withLeaseTime(Duration.ofSeconds(100));
        Grant held = granted(acquire(provider, LockMode.SHARED, brief));
        etcd.ticker.advance(Duration.ofSeconds(1));
        long before = etcd.count("keepAliveOnce");
        granted(acquire(provider, LockMode.SHARED, brief.withRenew(false)));
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before);
        etcd.ticker.advance(Duration.ofMillis(1));
        granted(acquire(provider, LockMode.SHARED, brief));
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before);
        Grant fresh = granted(acquire(provider, LockMode.SHARED, brief.withRenew(false)));
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before + 1);
        assertThat(fresh.since().elapsedNanos(etcd.ticker)).isZero();
        assertThat(held.lease().token()).isLessThan(fresh.lease().token());
    }

    @Test
    void theSameOwnerIsAnsweredWithTheSameGrant() {
        LeaseRequest request = request("owner", PATIENT);
        Grant first = granted(provider.acquire(request));
        Grant again = granted(provider.acquire(request));
        assertThat(again.lease()).isSameAs(first.lease());
        assertThat(etcd.places("another")).hasSize(1);
        provider.queues.sessions.enter(request, LEASE).join().lost();
        CompletableFuture<?> waiter = provider.acquire(request);
        assertThat(waiter).isNotDone();
        waiter.cancel(true);
    }

    @Test
    void whoeverDoesNotWaitIsRefusedWithoutAPlace() {
        granted(acquire(other));
        var refused = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ZERO));
        assertThat(refused).isCompletedWithValue(Optional.empty());
        assertThat(refusals).hasValue(1);
        assertThat(places()).hasSize(1);
    }

    @Test
    void aCloseEndsAllWaitingAndLaterOnesFailAtOnce() {
        Grant held = granted(acquire(other));
        var waiter = acquire(provider);
        etcd.holdBack();
        provider.close();
        assertThat(waiter).isCompletedExceptionally();
        etcd.answerAll();
        etcd.answerAtOnce();
        assertThat(acquire(provider)).isCompletedExceptionally();
        assertThat(places()).hasSize(1);
        other.close();
        assertThat(places()).hasSize(1);
        assertThat(held.lease().owner()).isEqualTo("owner-1");
    }
}
