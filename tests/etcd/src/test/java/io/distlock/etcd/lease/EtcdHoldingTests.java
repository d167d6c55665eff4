package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For how long a lock is kept at the server, and how its loss is noticed. No time passes by itself. */
class EtcdHoldingTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("holding");
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration LOCK_DELAY = Duration.ofSeconds(30);
    private static final Duration UNWATCHED = Duration.ofMillis(250);
    private static final LockOptions OPTIONS = LockOptions.defaults()
            .withWaitTime(Duration.ofHours(1))
            .withLeaseTime(LEASE)
            .withLockDelay(LOCK_DELAY);

    private ManualTimeProvider holder;

    @BeforeEach
    void open() {
        holder = new ManualTimeProvider(etcd.server().endpoint());
    }

    @AfterEach
    void close() {
        holder.close();
    }

    private Lease acquire(LockOptions options) {
        return TestClient.get(holder.acquire(KEY, options)).map(Grant::lease).orElseThrow();
    }

    private static List<String> places() {
        return etcd.probe().keys("lock/holding/");
    }

    private Renewal renew(Lease lease) {
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        holder.provider.renew(List.of(lease), (each, renewal) -> answer.complete(renewal));
        return TestClient.get(answer);
    }

    private void assertKeptFor(Duration time) {
        holder.advance(time.minusSeconds(1));
        assertThat(holder.reaped()).isZero();
        assertThat(places()).hasSize(1);
        holder.advance(Duration.ofSeconds(2));
        await().atMost(TestClient.PATIENCE).until(() -> places().isEmpty());
    }

    @Test
    void aLockIsKeptForItsLeaseAndLockDelay() {
        acquire(OPTIONS);
        assertThat(etcd.probe().lease(etcd.probe().leases().iterator().next()))
                .hasValueSatisfying(session -> assertThat(session.granted()).isEqualTo(LEASE.plus(LOCK_DELAY)));
        assertKeptFor(LEASE.plus(LOCK_DELAY));
    }

    @Test
    void aRenewalKeepsItForItsLeaseAndLockDelayFromThen() {
        Lease lease = acquire(OPTIONS);
        holder.advance(Duration.ofSeconds(20));
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
        assertKeptFor(LEASE.plus(LOCK_DELAY));
    }

    @Test
    void aLockThatIsHeldForAMomentOnlyIsNotWatched() {
        Lease lease = acquire(OPTIONS);
        holder.advance(UNWATCHED.minusMillis(1));
        TestClient.get(holder.provider.release(lease, Duration.ZERO));
        holder.advance(UNWATCHED);
        assertThat(etcd.probe().watches().streams()).isZero();
    }

    @Test
    void whatHappenedBeforeItWasWatchedIsFoundWhenItIs() {
        Lease lease = acquire(OPTIONS);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        holder.provider.onLoss(lease, () -> lost.complete(null));
        etcd.probe().deleteAll("lock/holding/");
        assertThat(lost).isNotDone();
        holder.advance(UNWATCHED);
        TestClient.get(lost);
        assertThat(renew(lease)).isEqualTo(Renewal.NOT_OWNER);
    }

    /** A read would take another round trip, while a newcomer may already have the lock. */
    @Test
    void aLossIsToldByTheWatchWithoutARead() {
        Lease lease = acquire(OPTIONS);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        holder.provider.onLoss(lease, () -> lost.complete(null));
        EtcdRpcs before = etcd.probe().rpcs();
        holder.advance(UNWATCHED);
        // What happened before it was watched.
        awaitReads(before, 1);
        etcd.probe().deleteAll("lock/holding/");
        TestClient.get(lost);
        assertThat(reads(before)).isEqualTo(1);
    }

    private static void awaitReads(EtcdRpcs before, long count) {
        await().atMost(TestClient.PATIENCE).until(() -> reads(before) == count);
    }

    private static long reads(EtcdRpcs before) {
        EtcdRpcs since = etcd.probe().rpcs().since(before);
        return since.started("Range") + since.started("Txn");
    }

    @Test
    void whoAsksAfterALossIsToldAtOnce() {
        Lease lease = acquire(OPTIONS);
        etcd.probe().deleteAll("lock/holding/");
        holder.advance(UNWATCHED);
        await().atMost(TestClient.PATIENCE).until(() -> renew(lease) == Renewal.NOT_OWNER);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        holder.provider.onLoss(lease, () -> lost.complete(null));
        assertThat(lost).isDone();
    }

    @Test
    void aReleaseIsNoLossAndEndsTheWatch() {
        Lease lease = acquire(OPTIONS);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        holder.provider.onLoss(lease, () -> lost.complete(null));
        holder.advance(UNWATCHED);
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 1);
        assertThat(TestClient.get(holder.provider.release(lease, Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 0);
        assertThat(lost).isNotDone();
    }

    /** Whoever waits could not tell its release from the loss of its lease. */
    @Test
    void aSessionOfOneLockOutlivesItsLockByTwoSeconds() {
        Lease lease = acquire(OPTIONS.withMinHoldTime(Duration.ofMinutes(5)));
        assertThat(TestClient.get(holder.provider.release(lease, Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        holder.advance(Duration.ofMillis(1999));
        assertThat(etcd.probe().leases()).hasSize(1);
        holder.advance(Duration.ofMillis(1));
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().leases().isEmpty());
    }

    /** Unused, it would go after its time to live, which is a minute and a half. */
    @Test
    void aSessionThatIsUsedNowAndThenStays() {
        takeAndRelease();
        Set<Long> session = etcd.probe().leases();
        for (int round = 0; round < 4; round++) {
            long before = keepalives();
            holder.advance(Duration.ofSeconds(30));
            // The one before has been answered then.
            await().atMost(TestClient.PATIENCE).until(() -> keepalives() > before);
            takeAndRelease();
        }
        assertThat(etcd.probe().leases()).hasSize(1).isEqualTo(session);
    }

    private void takeAndRelease() {
        assertThat(TestClient.get(holder.provider.release(acquire(OPTIONS), Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
    }

    private static long keepalives() {
        return etcd.probe().rpcs().started("LeaseKeepAlive");
    }

    @Test
    void aGrantIsNotCurrentOnceTheLockIsKeptOnly() {
        Lease lease = acquire(OPTIONS);
        Sequencer sequencer = new Sequencer(KEY, LockMode.EXCLUSIVE, lease.token());
        assertThat(TestClient.get(holder.provider.isCurrent(sequencer))).isTrue();
        assertThat(TestClient.get(holder.provider.release(lease, Duration.ofMinutes(1))))
                .isEqualTo(Release.RELEASED);
        assertThat(places()).hasSize(1);
        assertThat(TestClient.get(holder.provider.isCurrent(sequencer))).isFalse();
    }

    @Test
    void aLockIsKeptForItsMinimumHoldTimeAndNoLonger() {
        Lease lease = acquire(OPTIONS);
        assertThat(TestClient.get(holder.provider.release(lease, Duration.ofSeconds(40))))
                .isEqualTo(Release.RELEASED);
        assertThat(etcd.probe().entries("lock/holding/").get(0).value()).isEqualTo("kept");
        assertKeptFor(Duration.ofSeconds(40));
    }

    /** It is over before the server has heard of it. */
    @Test
    void theShortestMinimumHoldTimeIsNoLoss() {
        Lease lease = acquire(OPTIONS);
        CompletableFuture<Release> release =
                holder.provider.release(lease, Duration.ofNanos(1)).toCompletableFuture();
        holder.advance(Duration.ofMillis(1));
        assertThat(TestClient.get(release)).isEqualTo(Release.RELEASED);
        holder.advance(Duration.ofMillis(1));
        holder.await(() -> places().isEmpty());
    }

    @Test
    void aLockThatIsHeldOutlivesItsProvider() {
        acquire(OPTIONS);
        holder.provider.close();
        assertThat(places()).hasSize(1);
        assertThat(etcd.probe().leases()).hasSize(1);
    }

    @Test
    void anExtensionMovesTheEndOfALockThatIsNotRenewed() {
        Lease lease = acquire(OPTIONS.withRenew(false));
        holder.advance(Duration.ofSeconds(50));
        assertThat(extend(lease, Duration.ofSeconds(70))).isEqualTo(Renewal.RENEWED);
        assertKeptFor(Duration.ofSeconds(70));
        assertThat(extend(lease, Duration.ofSeconds(70))).isEqualTo(Renewal.NOT_OWNER);
    }

    @Test
    void aLockIsNotExtendedBeyondWhatItsSessionLasts() {
        Lease lease = acquire(OPTIONS.withRenew(false));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> extend(lease, LEASE.plus(LOCK_DELAY).plusSeconds(1)))
                .withMessage("etcd cannot extend lock 'holding' to 91s, lock-delay included: it was acquired for"
                        + " 90s. Acquire it with a longer lease");
    }

    /** It would count from before it was asked for. */
    @Test
    void anExtensionIsNotAnsweredByAKeepaliveThatIsUnderWay() {
        Lease lease = acquire(OPTIONS.withRenew(false));
        holder.advance(Duration.ofSeconds(20));
        etcd.server().freeze();
        holder.provider.renew(List.of(lease), (each, renewal) -> {});
        holder.advance(Duration.ofSeconds(2));
        long asked = holder.ticker.nanos();
        CompletableFuture<Moment> extended = new CompletableFuture<>();
        holder.provider.extend(lease, LEASE.plus(LOCK_DELAY), new Renewal.Answers() {
            @Override
            public void answer(Lease each, Renewal renewal) {
                extended.completeExceptionally(new AssertionError(renewal));
            }

            @Override
            public void renewedSince(Lease each, Moment since) {
                extended.complete(since);
            }
        });
        etcd.server().thaw();
        assertThat(TestClient.get(extended).nanos()).isGreaterThanOrEqualTo(asked);
    }

    private Renewal extend(Lease lease, Duration timeToLive) {
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        holder.provider.extend(lease, timeToLive, (each, renewal) -> answer.complete(renewal));
        return TestClient.get(answer);
    }
}
