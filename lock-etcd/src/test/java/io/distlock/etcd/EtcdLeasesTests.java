package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks that are held, against a store without a server. */
class EtcdLeasesTests {

    private static final LockKey KEY = LockKey.of("held");
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration UNWATCHED = Duration.ofMillis(250);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(LEASE);

    private final FakeEtcd etcd = new FakeEtcd();
    private final EtcdLockProvider provider = etcd.provider();
    private final Answers answers = new Answers();
    private final AtomicInteger lost = new AtomicInteger();

    private static final class Answers implements Renewal.Answers {

        final Map<Lease, Renewal> given = new HashMap<>();
        final Map<Lease, Moment> since = new HashMap<>();

        @Override
        public void answer(Lease lease, Renewal renewal) {
            given.put(lease, renewal);
        }

        @Override
        public void renewedSince(Lease lease, Moment moment) {
            given.put(lease, Renewal.RENEWED);
            since.put(lease, moment);
        }
    }

    @AfterEach
    void close() {
        etcd.close();
    }

    private Lease acquire(LockKey key, LockMode mode, String owner, LockOptions options) {
        return provider.acquire(new LeaseRequest(key, mode, owner, options, Deadline.in(Duration.ZERO, etcd.ticker)))
                .join()
                .map(Grant::lease)
                .orElseThrow();
    }

    private Lease acquire(LockOptions options) {
        Lease lease = acquire(KEY, LockMode.EXCLUSIVE, "owner", options);
        provider.onLoss(lease, lost::incrementAndGet);
        return lease;
    }

    private Renewal renew(Lease lease) {
        answers.given.clear();
        provider.renew(List.of(lease), answers);
        return answers.given.get(lease);
    }

    private Release release(Lease lease, Duration keepFor) {
        return provider.release(lease, keepFor).toCompletableFuture().join();
    }

    private List<String> places() {
        return etcd.places("held");
    }

    @Test
    void oneKeepaliveRenewsAllOfASessionAndNoneIsSentSoonAfter() {
        List<Lease> all = new ArrayList<>();
        IntStream.range(0, 50)
                .forEach(number ->
                        all.add(acquire(LockKey.of("many", "" + number), LockMode.EXCLUSIVE, "owner", OPTIONS)));
        Lease another = acquire(KEY, LockMode.EXCLUSIVE, "owner", OPTIONS.withLeaseTime(LEASE.plusSeconds(1)));
        all.add(another);
        etcd.ticker.advance(Duration.ofSeconds(11));
        long before = etcd.count("keepAliveOnce");
        provider.renew(all, answers);
        assertThat(answers.given).hasSize(51).containsValue(Renewal.RENEWED).doesNotContainValue(Renewal.UNKNOWN);
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before + 2);
        assertThat(answers.since.get(another).elapsedNanos(etcd.ticker)).isZero();
        etcd.ticker.advance(Duration.ofSeconds(10));
        provider.renew(all, answers);
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before + 2);
        assertThat(Duration.ofNanos(answers.since.get(all.get(0)).elapsedNanos(etcd.ticker)))
                .isEqualTo(Duration.ofSeconds(10));
        etcd.ticker.advance(MOMENT);
        assertThat(renew(all.get(0))).isEqualTo(Renewal.RENEWED);
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(before + 3);
    }

    @Test
    void aRenewalWithoutAnAnswerIsUnknownAndLosesNothing() {
        Lease lease = acquire(OPTIONS);
        etcd.ticker.advance(Duration.ofSeconds(11));
        etcd.holdBack();
        assertThat(renew(lease)).isNull();
        etcd.ticker.advance(LEASE.dividedBy(6));
        assertThat(answers.given).containsEntry(lease, Renewal.UNKNOWN);
        etcd.answerAtOnce();
        etcd.answerAll();
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
        assertThat(lost).hasValue(0);
    }

    @Test
    void aSessionThatIsGoneLosesEachOfItsLocksOnce() {
        Lease lease = acquire(OPTIONS);
        Lease other = acquire(LockKey.of("other"), LockMode.EXCLUSIVE, "owner", OPTIONS);
        etcd.watches().tellNothing();
        etcd.revoke(etcd.leaseIds().get(0));
        etcd.ticker.advance(Duration.ofSeconds(11));
        provider.renew(List.of(lease, other), answers);
        assertThat(answers.given).containsEntry(lease, Renewal.NOT_OWNER).containsEntry(other, Renewal.NOT_OWNER);
        assertThat(lost).hasValue(1);
        assertThat(renew(lease)).isEqualTo(Renewal.NOT_OWNER);
        assertThat(lost).hasValue(1);
    }

    @Test
    void aLockThatIsNotExtendedIsDeletedAtItsEndThoughItsSessionGoesOn() {
        LockOptions once = OPTIONS.withRenew(false).withLockDelay(Duration.ofSeconds(30));
        acquire(once);
        Lease renewed = acquire(LockKey.of("other"), LockMode.EXCLUSIVE, "owner", once);
        etcd.ticker.advance(Duration.ofSeconds(60));
        assertThat(renew(renewed)).isEqualTo(Renewal.RENEWED);
        etcd.ticker.advance(Duration.ofSeconds(30).minus(MOMENT));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
        assertThat(etcd.places("other")).hasSize(1);
        assertThat(renew(renewed)).isEqualTo(Renewal.RENEWED);
    }

    @Test
    void anExtensionNeverShortens() {
        Lease lease = acquire(OPTIONS);
        provider.extend(lease, Duration.ofSeconds(1), answers);
        assertThat(answers.given).containsEntry(lease, Renewal.RENEWED);
        etcd.ticker.advance(LEASE.minus(MOMENT));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
    }

    @Test
    void anExtensionIsCountedFromARequestThatWasSentAfterIt() {
        Lease lease = acquire(OPTIONS.withRenew(false));
        // Longer than a renewal may rely on the last keepalive, which all locks have in common.
        etcd.ticker.advance(Duration.ofSeconds(41));
        etcd.holdBack();
        renew(lease);
        assertThat(etcd.pending).hasSize(1);
        etcd.ticker.advance(Duration.ofSeconds(1));
        provider.extend(lease, LEASE, answers);
        etcd.answerAll();
        assertThat(answers.since.get(lease).elapsedNanos(etcd.ticker)).isZero();
    }

    @Test
    void anExtensionBeyondItsSessionIsRefusedAndOneUpToItIsNot() {
        Lease lease = acquire(OPTIONS);
        provider.extend(lease, LEASE, answers);
        assertThat(answers.given).containsEntry(lease, Renewal.RENEWED);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.extend(lease, LEASE.plus(MOMENT), answers));
    }

    @Test
    void anExtensionMayCoverTheLockDelay() {
        Lease lease = acquire(OPTIONS.withLockDelay(Duration.ofSeconds(5)));
        provider.extend(lease, LEASE.plusSeconds(5), answers);
        assertThat(answers.given).containsEntry(lease, Renewal.RENEWED);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.extend(lease, LEASE.plusSeconds(5).plus(MOMENT), answers));
    }

    /** Twice would let the session go that others still hold their locks by. */
    @Test
    void aReleaseThatIsRepeatedLeavesTheSessionOnce() {
        Lease one = acquire(LockKey.of("one"), LockMode.EXCLUSIVE, "owner", OPTIONS);
        Lease other = acquire(OPTIONS);
        release(one, Duration.ZERO);
        release(one, Duration.ZERO);
        for (int round = 0; round < 10; round++) {
            etcd.ticker.advance(LEASE.dividedBy(3));
            assertThat(renew(other)).isEqualTo(Renewal.RENEWED);
        }
        assertThat(lost).hasValue(0);
    }

    @Test
    void aLockThatIsLostLetsItsSessionGo() {
        acquire(OPTIONS);
        etcd.ticker.advance(UNWATCHED);
        etcd.remove(places().get(0));
        assertThat(lost).hasValue(1);
        etcd.ticker.advance(LEASE.multipliedBy(3));
        assertThat(etcd.leaseIds()).isEmpty();
    }

    @Test
    void aCloseGivesUpTheSessionOfALockThatWasReleased() {
        release(acquire(OPTIONS), Duration.ZERO);
        provider.close();
        // Its key stays for those who wait.
        etcd.ticker.advance(Session.LINGER);
        assertThat(etcd.leaseIds()).isEmpty();
    }

    @Test
    void anExtensionThatIsAnsweredAfterTheReleaseIsNoLoss() {
        Lease lease = acquire(OPTIONS);
        etcd.holdBack();
        provider.extend(lease, LEASE, answers);
        etcd.answerAtOnce();
        assertThat(release(lease, Duration.ZERO)).isEqualTo(Release.RELEASED);
        etcd.answerAll();
        assertThat(answers.given).containsEntry(lease, Renewal.NOT_OWNER);
        assertThat(lost).hasValue(0);
        assertThat(etcd.places("held")).isEmpty();
    }

    @Test
    void aReleasedLockLetsItsSessionGo() {
        Lease lease = acquire(OPTIONS);
        assertThat(release(lease, Duration.ZERO)).isEqualTo(Release.RELEASED);
        assertThat(release(lease, Duration.ZERO)).isEqualTo(Release.NOT_OWNER);
        etcd.ticker.advance(LEASE.multipliedBy(2));
        assertThat(etcd.leaseIds()).isEmpty();
    }

    @Test
    void aReleaseWithoutAnAnswerIsUnknown() {
        Lease lease = acquire(OPTIONS);
        etcd.holdBack();
        var release = provider.release(lease, Duration.ZERO).toCompletableFuture();
        etcd.pending.get(0).breakOff();
        assertThat(release).isCompletedWithValue(Release.UNKNOWN);
    }

    @Test
    void itIsWatchedAfterAMomentAndItsDeletionIsALossAtOnce() {
        acquire(OPTIONS);
        etcd.ticker.advance(UNWATCHED.minus(MOMENT));
        assertThat(etcd.watchers()).isZero();
        etcd.ticker.advance(MOMENT);
        assertThat(etcd.watchers()).isEqualTo(1);
        long calls = etcd.sent.size();
        etcd.remove(places().get(0));
        assertThat(lost).hasValue(1);
        assertThat(etcd.sent).hasSize((int) calls);
        assertThat(etcd.watchers()).isZero();
    }

    @Test
    void aDeletionBeforeItWasWatchedIsFoundAsTheWatchStandsOrWhenTheListenerComes() {
        Lease lease = acquire(KEY, LockMode.EXCLUSIVE, "owner", OPTIONS);
        etcd.remove(places().get(0));
        etcd.ticker.advance(UNWATCHED);
        provider.onLoss(lease, lost::incrementAndGet);
        assertThat(lost).hasValue(1);
    }

    /** For each: one key of many, wherever it stands. */
    @Test
    void whatIsDeletedWhileTheStreamIsBrokenIsFoundAmongManyByFewCalls() {
        List<AtomicInteger> losses = new ArrayList<>();
        for (int number = 0; number < 250; number++) {
            Lease lease = acquire(LockKey.of("many", "" + number), LockMode.EXCLUSIVE, "owner", OPTIONS);
            AtomicInteger loss = new AtomicInteger();
            provider.onLoss(lease, loss::incrementAndGet);
            losses.add(loss);
        }
        etcd.ticker.advance(UNWATCHED);
        assertThat(etcd.watchers()).isEqualTo(250);
        long before = etcd.count("txn");
        etcd.watches().tellNothing();
        etcd.remove(etcd.places("many:123").get(0));
        etcd.remove(etcd.places("many:249").get(0));
        etcd.holdBack();
        etcd.watches().breakOff();
        etcd.ticker.advance(Duration.ofSeconds(1));
        etcd.answerAll();
        assertThat(IntStream.range(0, 250).filter(each -> losses.get(each).get() == 1))
                .containsExactly(123, 249);
        // The first alone, and the others together, up to a hundred at a time.
        assertThat(etcd.count("txn") - before).isEqualTo(4);
        assertThat(etcd.watchers()).isEqualTo(248);
    }

    /** One time for many operations is refused: then fewer are asked for at once, and none waits for a pause. */
    @Test
    void aServerThatAllowsFewOperationsInATransactionIsAskedForFewer() {
        etcd.allowOperations(16);
        for (int number = 0; number < 1000; number++) {
            acquire(LockKey.of("many", "" + number), LockMode.EXCLUSIVE, "owner", OPTIONS);
        }
        etcd.watches().tellNothing();
        etcd.holdBack();
        etcd.ticker.advance(UNWATCHED);
        etcd.remove(etcd.places("many:999").get(0));
        long before = etcd.count("txn");
        etcd.answerAll();
        assertThat(etcd.count("txn") - before).isBetween(63L, 100L);
        assertThat(etcd.watchers()).isEqualTo(999);
    }

    /** As after a change of rights, which has the same code. */
    @Test
    void aCheckThatIsRefusedForAnotherReasonDoesNotMakeTheNextOnesSmaller() {
        for (int number = 0; number < 1001; number++) {
            acquire(LockKey.of("many", "" + number), LockMode.EXCLUSIVE, "owner", OPTIONS);
        }
        etcd.watches().tellNothing();
        etcd.holdBack();
        long before = etcd.count("txn");
        etcd.ticker.advance(UNWATCHED);
        // The first alone, the others a hundred at a time.
        etcd.pending.remove(0).answer();
        etcd.pending
                .remove(0)
                .refuse(Status.INVALID_ARGUMENT.withDescription("etcdserver: revision of auth store is old"));
        etcd.answerAll();
        assertThat(etcd.count("txn") - before).isEqualTo(1 + 10);
    }

    @Test
    void aCheckWithoutAnAnswerIsMadeAgain() {
        acquire(OPTIONS);
        etcd.watches().tellNothing();
        etcd.holdBack();
        etcd.ticker.advance(UNWATCHED);
        etcd.pending.remove(0).breakOff();
        etcd.remove(places().get(0));
        etcd.answerAtOnce();
        assertThat(lost).hasValue(0);
        etcd.ticker.advance(Duration.ofMillis(500));
        assertThat(lost).hasValue(1);
    }

    @Test
    void aKeptLockStaysUntilItsMinimumHoldTimeIsOverThoughThisProcessEnds() {
        Lease lease = acquire(OPTIONS);
        assertThat(release(lease, Duration.ofSeconds(40))).isEqualTo(Release.RELEASED);
        assertThat(provider.isCurrent(sequencer(lease, LockMode.EXCLUSIVE)).toCompletableFuture())
                .isCompletedWithValue(false);
        LockStatus kept = provider.inspect(KEY).toCompletableFuture().join().orElseThrow();
        assertThat(kept.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.owner()).isEqualTo("kept");
            assertThat(holder.token()).isEmpty();
        });
        etcd.ticker.advance(Duration.ofSeconds(40).minus(MOMENT));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
    }

    @Test
    void aKeptLockThatTookItsTimeIsDeletedOnTime() {
        Lease lease = acquire(OPTIONS);
        etcd.holdBack();
        var release = provider.release(lease, Duration.ofMillis(2500)).toCompletableFuture();
        etcd.ticker.advance(Duration.ofMillis(1500));
        etcd.answerAtOnce();
        etcd.answerAll();
        assertThat(release).isCompletedWithValue(Release.RELEASED);
        etcd.ticker.advance(Duration.ofMillis(999));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
    }

    private static Sequencer sequencer(Lease lease, LockMode mode) {
        return new Sequencer(lease.key(), mode, lease.token());
    }

    @Test
    void aGrantIsCurrentInItsOwnModeAndWithItsOwnTokenOnly() {
        Lease reader = acquire(KEY, LockMode.SHARED, "reader", OPTIONS);
        Lease second = acquire(KEY, LockMode.SHARED, "second", OPTIONS);
        assertThat(isCurrent(sequencer(reader, LockMode.SHARED))).isTrue();
        assertThat(isCurrent(sequencer(second, LockMode.SHARED))).isTrue();
        assertThat(isCurrent(sequencer(reader, LockMode.EXCLUSIVE))).isFalse();
        long between = reader.token().value() + 1;
        assertThat(isCurrent(new Sequencer(KEY, LockMode.SHARED, new FencingToken(between))))
                .isEqualTo(between == second.token().value());
        assertThat(isCurrent(new Sequencer(
                        KEY, LockMode.SHARED, new FencingToken(second.token().value() + 1))))
                .isFalse();
        assertThat(isCurrent(new Sequencer(LockKey.of("other"), LockMode.SHARED, reader.token())))
                .isFalse();
    }

    /** Its revision becomes its token only once nobody is ahead. */
    @Test
    void oneWhoWaitsHasNoGrantYetThoughItsRevisionIsKnown() {
        Lease held = acquire(KEY, LockMode.EXCLUSIVE, "holder", OPTIONS);
        for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
            provider.acquire(new LeaseRequest(KEY, mode, "waiter", OPTIONS, Deadline.in(LEASE, etcd.ticker)));
        }
        Sequencer next = place(1, LockMode.EXCLUSIVE);
        Sequencer last = place(2, LockMode.SHARED);
        assertThat(isCurrent(next)).isFalse();
        assertThat(isCurrent(last)).isFalse();
        release(held, Duration.ZERO);
        assertThat(isCurrent(next)).isTrue();
        assertThat(isCurrent(last)).isFalse();
    }

    @Test
    void readersBehindAWaitingWriterHaveNoGrantYet() {
        Lease reader = acquire(KEY, LockMode.SHARED, "reader", OPTIONS);
        for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
            provider.acquire(new LeaseRequest(KEY, mode, "waiter", OPTIONS, Deadline.in(LEASE, etcd.ticker)));
        }
        assertThat(isCurrent(sequencer(reader, LockMode.SHARED))).isTrue();
        assertThat(isCurrent(place(2, LockMode.SHARED))).isFalse();
    }

    /** What the acquisition at this place of the queue will say that it has, once it has it. */
    private Sequencer place(int at, LockMode mode) {
        return new Sequencer(KEY, mode, new FencingToken(etcd.createRevision(places().get(at))));
    }

    /** However long the lease, and whoever looks after locks that nobody extends. */
    @Test
    void aLockThatEndsByTheClockKeepsItsMinimumHoldTime() {
        acquire(OPTIONS.withLeaseTime(Duration.ofSeconds(1)).withRenew(false).withMinHoldTime(Duration.ofSeconds(10)));
        etcd.ticker.advance(Duration.ofSeconds(10).minus(MOMENT));
        assertThat(places()).hasSize(1);
        etcd.ticker.advance(MOMENT);
        assertThat(places()).isEmpty();
    }

    private boolean isCurrent(Sequencer sequencer) {
        return provider.isCurrent(sequencer).toCompletableFuture().join();
    }

    @Test
    void holdersAndWaitersAreToldApart() {
        assertThat(provider.inspect(KEY).toCompletableFuture().join()).isEmpty();
        Lease reader = acquire(KEY, LockMode.SHARED, "reader", OPTIONS);
        acquire(KEY, LockMode.SHARED, "second", OPTIONS);
        LeaseRequest waiting =
                new LeaseRequest(KEY, LockMode.EXCLUSIVE, "writer", OPTIONS, Deadline.in(LEASE, etcd.ticker));
        provider.acquire(waiting);
        provider.acquire(new LeaseRequest(KEY, LockMode.SHARED, "late", OPTIONS, Deadline.in(LEASE, etcd.ticker)));
        LockStatus status = provider.inspect(KEY).toCompletableFuture().join().orElseThrow();
        assertThat(status.mode()).isEqualTo(LockMode.SHARED);
        assertThat(status.holders()).extracting(LockStatus.Holder::owner).containsExactly("reader", "second");
        assertThat(status.holders().get(0).token()).contains(reader.token());
        assertThat(status.holders().get(0).remaining()).contains(LEASE);
        assertThat(status.waiters()).contains(2);
        long waiters = etcd.createRevision(places().get(2));
        assertThat(provider.forceRelease(KEY, new FencingToken(waiters)).toCompletableFuture())
                .isCompletedWithValue(Release.NOT_OWNER);
        assertThat(provider.forceRelease(KEY, reader.token()).toCompletableFuture())
                .isCompletedWithValue(Release.RELEASED);
        assertThat(places()).hasSize(3);
        assertThat(Optional.of(places().get(0)))
                .hasValueSatisfying(first -> assertThat(first).endsWith("second"));
    }

    @Test
    void anEntryThatIsKeptIsNotReleasedByForce() {
        Lease lease = acquire(OPTIONS);
        release(lease, LEASE);
        assertThat(provider.forceRelease(KEY, lease.token()).toCompletableFuture())
                .isCompletedWithValue(Release.NOT_OWNER);
        assertThat(places()).hasSize(1);
    }

    @Test
    void theFenceFindsTheRightLockAmongThoseOfItsKey() {
        Lease one = acquire(KEY, LockMode.SHARED, "one", OPTIONS);
        Lease two = acquire(KEY, LockMode.SHARED, "two", OPTIONS);
        acquire(LockKey.of("held", "longer"), LockMode.SHARED, "one", OPTIONS);
        assertThat(provider.place(sequencer(two, LockMode.SHARED)).map(FakeEtcd::text))
                .contains(places().get(1));
        assertThat(provider.place(sequencer(one, LockMode.SHARED)).map(FakeEtcd::text))
                .contains(places().get(0));
        assertThat(provider.place(new Sequencer(LockKey.of("held", "longer"), LockMode.SHARED, one.token())))
                .isEmpty();
        release(one, Duration.ZERO);
        assertThat(provider.place(sequencer(one, LockMode.SHARED))).isEmpty();
    }
}
