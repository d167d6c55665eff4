package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Sequencer;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An acquisition whose session, place or calls fail midway. */
class EtcdAcquisitionTroubleTests extends EtcdAcquisitionFixture {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final LockOptions ONCE = PATIENT.withWaitTime(Duration.ZERO);

    private FakeEtcd.Call next() {
        return etcd.pending.remove(0);
    }

    /** Its holder's locks may be believed in: a lease that was lost means a second's grace for all of this process. */
    @Test
    void aSessionThatWasLostUnnoticedIsReplacedAtOnceAndTheGraceIsWaitedOut() {
        release(provider, granted(acquire(provider)));
        etcd.revoke(etcd.leaseIds().get(0));
        var next = acquire(provider);
        assertThat(places()).hasSize(1);
        assertThat(failures).hasPositiveValue();
        etcd.ticker.advance(GRACE.minus(MOMENT));
        assertThat(next).isNotDone();
        etcd.ticker.advance(MOMENT);
        granted(next);
    }

    @Test
    void duringTheGraceOneWhoDoesNotWaitIsToldWhy() {
        release(provider, granted(acquire(provider)));
        etcd.revoke(etcd.leaseIds().get(0));
        assertThat(failure(acquire(provider, LockMode.EXCLUSIVE, ONCE)))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("a lease was lost a moment ago, and its holder may not know yet");
    }

    @Test
    void aCloseEndsAWaitForTheGrace() {
        granted(acquire(other));
        var waiter = acquire(provider);
        etcd.revoke(etcd.leaseIds().get(0));
        assertThat(places()).hasSize(1);
        provider.close();
        failure(waiter);
    }

    /** A place that is refused says nothing about the lock, so it goes on past the deadline, but not for ever. */
    @Test
    void oneWhoseSessionsAreAllLostEndsACallAfterItsDeadline() {
        etcd.holdBack();
        var asked = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(SECOND));
        int steps = 0;
        while (!asked.isDone()) {
            assertThat(++steps).as("steps of 50 ms").isLessThan(1_000);
            FakeEtcd.Call call = next();
            if (call.name.equals("txn")) {
                etcd.revoke(etcd.leaseIds().get(etcd.leaseIds().size() - 1));
            }
            call.answer();
            etcd.ticker.advance(Duration.ofMillis(50));
        }
        assertThat(steps).isGreaterThan(400);
        assertThat(failure(asked)).hasMessageContaining("taking a place in the queue was not answered");
    }

    @Test
    void aRightThatIsMissingEndsTheWaitAtOnce() {
        etcd.holdBack();
        var asked = acquire(provider);
        next().refuse(Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied"));
        assertThat(failure(asked))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("etcdserver: permission denied")
                .hasMessageNotContaining("etcd granted no lock within the wait time");
        assertThat(failures).hasValue(1);
    }

    @Test
    void aCallWithoutAnAnswerIsNamedAsTheReasonAtTheDeadline() {
        etcd.holdBack();
        var asked = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(SECOND));
        etcd.ticker.advance(SECOND.plusMillis(100));
        assertThat(failure(asked)).hasMessageContaining("etcd granted no lock within the wait time: ");
    }

    @Test
    void aCallThatFailsIsMadeAgainAfterPausesThatGrowToASecond() {
        etcd.holdBack();
        acquire(provider);
        int longest = 0;
        for (int tries = 1; tries < 25; tries++) {
            next().refuse(Status.RESOURCE_EXHAUSTED);
            assertThat(failures).hasValue(tries);
            int millis = 0;
            while (etcd.pending.isEmpty()) {
                etcd.ticker.advance(MOMENT);
                assertThat(++millis).isLessThanOrEqualTo(1_000);
            }
            assertThat(millis <= 20 || tries > 1).as("the first pause is short").isTrue();
            longest = Math.max(longest, millis);
        }
        // They are random.
        assertThat(longest).isGreaterThan(100);
        next().answer();
        next().answer();
    }

    /** The keepalive that makes sure of the rest of its lease. */
    private CompletableFuture<Optional<Grant>> askedToExtend() {
        LockOptions brief = PATIENT.withLeaseTime(Duration.ofSeconds(100));
        granted(acquire(provider, LockMode.SHARED, brief));
        etcd.ticker.advance(SECOND.multipliedBy(2));
        etcd.holdBack();
        var asked = acquire(provider, LockMode.SHARED, brief.withRenew(false));
        next().answer();
        etcd.answerAtOnce();
        assertThat(etcd.pending)
                .singleElement()
                .satisfies(call -> assertThat(call.name).isEqualTo("keepAliveOnce"));
        return asked;
    }

    @Test
    void aPlaceOnASessionThatTurnsOutToBeLostIsRemovedThoughTheServerMayStillHaveIt() {
        var asked = askedToExtend();
        next().refuse(Status.NOT_FOUND);
        etcd.ticker.advance(GRACE);
        granted(asked);
        // The first holder's, and the new one.
        assertThat(places()).hasSize(2);
    }

    @Test
    void anExtensionWithoutAnAnswerIsAskedForAgain() {
        var asked = askedToExtend();
        next().breakOff();
        assertThat(asked).isNotDone();
        assertThat(failures).hasValue(1);
        etcd.ticker.advance(Duration.ofMillis(20));
        granted(asked);
        assertThat(places()).hasSize(2);
    }

    @Test
    void aGrantThatArrivesAfterTheCloseIsNoneAndIsGivenBack() {
        etcd.holdBack();
        var asked = acquire(provider);
        next().answer();
        FakeEtcd.Call taking = next().carryOut();
        etcd.answerAtOnce();
        Sequencer grant =
                new Sequencer(KEY, LockMode.EXCLUSIVE, new FencingToken(etcd.createRevision(places().get(0))));
        provider.close();
        taking.answer();
        failure(asked);
        assertThat(provider.place(grant)).isEmpty();
        assertThat(places()).isEmpty();
    }

    @Test
    void oneWhoLeavesWithoutAnAnswerAsksAgainUntilItsPlaceIsGone() {
        granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        etcd.ticker.advance(Duration.ofSeconds(3).minus(MOMENT));
        etcd.holdBack();
        etcd.ticker.advance(MOMENT);
        next().breakOff();
        assertThat(waiter).isNotDone();
        etcd.ticker.advance(Duration.ofMillis(20));
        next().breakOff();
        etcd.answerAtOnce();
        etcd.ticker.advance(Duration.ofMillis(40));
        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(places()).hasSize(1);
    }

    @Test
    void oneWhoseLeavingIsNeverAnsweredIsToldSoInTheTimeOfACall() {
        granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        etcd.ticker.advance(Duration.ofSeconds(3).minus(MOMENT));
        etcd.holdBack();
        etcd.ticker.advance(MOMENT);
        Duration passed = Duration.ZERO;
        for (; !waiter.isDone(); passed = passed.plus(SECOND)) {
            next().breakOff();
            etcd.ticker.advance(SECOND);
        }
        assertThat(passed).isBetween(FakeEtcd.CALL_TIMEOUT.minus(SECOND), FakeEtcd.CALL_TIMEOUT.plus(SECOND));
        assertThat(failure(waiter)).isInstanceOf(LockUnavailableException.class);
    }

    /** The place that it took in the end is behind that of an attempt whose number is another. */
    @Test
    void eachPlaceOfAnAcquisitionHasAKeyOfItsOwn() {
        granted(acquire(other));
        acquire(provider);
        etcd.ticker.advance(UNWATCHED);
        String first = places().get(1);
        etcd.remove(first);
        assertThat(places()).hasSize(2);
        assertThat(places().get(1)).isNotEqualTo(first);
    }

    @Test
    void aPlaceThatMayHaveBeenTakenIsRemovedWhenItsCallerGivesUp() {
        granted(acquire(other));
        etcd.holdBack();
        var waiter = acquire(provider);
        next().answer();
        next().carryOut().breakOff();
        assertThat(places()).hasSize(2);
        waiter.cancel(true);
        etcd.answerAtOnce();
        etcd.answerAll();
        assertThat(places()).hasSize(1);
    }

    /** Whatever became of them: a refusal, a withdrawal, a wait until the deadline. */
    @Test
    void whoeverHasLeftUsesItsSessionNoMore() {
        Grant held = granted(acquire(other));
        acquire(provider, LockMode.EXCLUSIVE, ONCE);
        acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(SECOND));
        acquire(provider).cancel(true);
        etcd.ticker.advance(SECOND);
        release(other, held);
        etcd.ticker.advance(LEASE.multipliedBy(3));
        assertThat(etcd.leaseIds()).isEmpty();
    }

    /** Who is parked behind a holder, with a look under way that is to fail. */
    private CompletableFuture<Optional<Grant>> looking(LockOptions options) {
        granted(acquire(other));
        var waiter = acquire(provider, LockMode.EXCLUSIVE, options);
        etcd.ticker.advance(UNWATCHED);
        etcd.holdBack();
        etcd.ticker.advance(TRUST);
        assertThat(etcd.pending).hasSize(1);
        return waiter;
    }

    @Test
    void whoIsCancelledWhileItLooksLeavesItsPlaceAndItsSession() {
        CompletableFuture<?> waiter = looking(PATIENT);
        waiter.cancel(true);
        etcd.answerAll();
        etcd.answerAtOnce();
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(LEASE.multipliedBy(3));
        assertThat(etcd.leaseIds()).isEmpty();
    }

    @Test
    void oneThatLearnsAfterItsDeadlineThatAnotherIsAheadLeaves() {
        CompletableFuture<Optional<Grant>> waiter =
                looking(PATIENT.withWaitTime(UNWATCHED.plus(TRUST).plus(MOMENT)));
        etcd.ticker.advance(MOMENT.multipliedBy(2));
        next().answer();
        assertThat(waiter).isNotDone();
        next().answer();
        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(places()).hasSize(1);
    }

    @Test
    void whoIsCancelledWhileItGetsASessionLeavesIt() {
        etcd.holdBack();
        acquire(provider).cancel(true);
        etcd.answerAll();
        etcd.answerAtOnce();
        etcd.ticker.advance(LEASE.multipliedBy(3));
        assertThat(etcd.leaseIds()).isEmpty();
        assertThat(places()).isEmpty();
    }

    @Test
    void anAnswerEndsTheGrowingOfPauses() {
        looking(PATIENT);
        for (int tries = 0; tries < 8; tries++) {
            next().refuse(Status.RESOURCE_EXHAUSTED);
            etcd.ticker.advance(SECOND);
        }
        next().answer();
        etcd.ticker.advance(TRUST);
        next().refuse(Status.RESOURCE_EXHAUSTED);
        etcd.ticker.advance(Duration.ofMillis(20));
        assertThat(etcd.pending).hasSize(1);
    }

    @Test
    void aFailureThatIsOverIsNotTheReasonAtTheDeadline() {
        var waiter = looking(PATIENT.withWaitTime(TRUST.plusSeconds(3)));
        next().breakOff();
        etcd.answerAtOnce();
        etcd.ticker.advance(SECOND.multipliedBy(3));
        assertThat(waiter).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aLookThatFailsDoesNotCostThePlace() {
        looking(PATIENT);
        String place = places().get(1);
        next().breakOff();
        etcd.answerAtOnce();
        acquire(other);
        etcd.ticker.advance(SECOND);
        assertThat(places()).hasSize(3).element(1).isEqualTo(place);
    }

    /** The one ahead of it was lost while another holds the lock, and whoever comes next does not know of it. */
    @Test
    void oneWhoseTimeIsUpDuringTheGraceStaysInTheQueueUntilThen() {
        granted(acquire(other));
        EtcdLockProvider third = etcd.provider();
        acquire(third);
        var waiter = acquire(provider, LockMode.EXCLUSIVE, PATIENT.withWaitTime(SECOND));
        etcd.ticker.advance(SECOND.minusMillis(300));
        etcd.revoke(etcd.leaseIds().get(1));
        etcd.ticker.advance(Duration.ofMillis(300));
        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(etcd.places("queue").stream().filter(place -> place.endsWith("owner-3")))
                .hasSize(1);
        etcd.ticker.advance(Duration.ofMillis(700));
        assertThat(etcd.places("queue").stream().filter(place -> place.endsWith("owner-3")))
                .isEmpty();
    }

    @Test
    void aReleaseBeforeTheWatchStandsIsNotMissed() {
        Grant held = granted(acquire(other));
        etcd.holdBack();
        var waiter = acquire(provider);
        next().answer();
        FakeEtcd.Call taking = next().carryOut();
        etcd.answerAtOnce();
        release(other, held);
        taking.answer();
        granted(waiter);
    }

    @Test
    void oneWhoWaitsDoesNotLookAgainIfNothingHasChangedBeforeItsWatchStands() {
        granted(acquire(other));
        acquire(provider).cancel(true);
        long before = etcd.count("txn");
        acquire(provider);
        assertThat(etcd.count("txn") - before).isEqualTo(1);
    }

    @Test
    void theGraceCountsFromTheLossAndNotFromWhenAPlaceIsTaken() {
        LeaseRequest request = new LeaseRequest(
                LockKey.of("another"), LockMode.EXCLUSIVE, "owner", PATIENT, Deadline.in(LEASE, etcd.ticker));
        provider.queues.sessions.enter(request, LEASE).join().lost();
        etcd.ticker.advance(Duration.ofMillis(600));
        var next = acquire(provider);
        etcd.ticker.advance(Duration.ofMillis(399));
        assertThat(next).isNotDone();
        etcd.ticker.advance(MOMENT);
        granted(next);
    }

    /** The place ends with its session, whose loss is known: the store need not say so. */
    @Test
    void aPlaceOnALostSessionIsNotFollowedUpForAnHourThoughTheStoreIsSilent() {
        etcd.holdBack();
        var waiter = acquire(provider);
        next().answer();
        next().carryOut().breakOff();
        waiter.cancel(true);
        etcd.ticker.advance(LEASE.plus(MOMENT));
        for (int second = 0; second < 30; second++) {
            for (int calls = etcd.pending.size(); calls > 0; calls--) {
                next().breakOff();
            }
            etcd.ticker.advance(SECOND);
        }
        assertThat(etcd.runtime.reaper().pending()).isZero();
    }
}
