package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session lasts while somebody uses it, and ends once nobody has for as long as it is. The clock is the test's, the server is real. */
class SessionUseTests extends SteppedTimeFixture {

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration SESSION = LocalZooKeeper.OPTIONS.session(LEASE);

    private ZooKeeperSession session;

    @BeforeEach
    void enter() {
        session = enter(LEASE);
    }

    private ZooKeeperSession enter(Duration timeToLive) {
        return get(sessions.enter(timeToLive, PATIENCE));
    }

    private ZooKeeperAcquisition acquire(LockMode mode, String owner, Duration wait) {
        LockOptions options = LockOptions.defaults().withLeaseTime(LEASE);
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(
                queues, new LeaseRequest(key, mode, owner, options, Deadline.in(wait, ticker)));
        acquisition.advance();
        return acquisition;
    }

    private ZooKeeperLease granted(LockMode mode, String owner) {
        Grant grant = get(acquire(mode, owner, SESSION)).orElseThrow();
        return (ZooKeeperLease) grant.lease();
    }

    private Release release(ZooKeeperLease lease) {
        return get(queues.leases.release(lease, Duration.ZERO));
    }

    private boolean isIdleAfterItsTime() {
        ticker.advance(SESSION);
        return session.isIdle();
    }

    @Test
    void aSessionThatIsOnlyEnteredIsUsed() {
        assertThat(isIdleAfterItsTime()).isFalse();
    }

    @Test
    void aLockThatIsHeldForLongerThanItsSessionIsKeepsIt() {
        Lease lease = granted(LockMode.EXCLUSIVE, "holder");
        session.leave();
        for (int step = 0; step < 2 * SESSION.toSeconds(); step++) {
            pass(Duration.ofSeconds(1), session);
            queues.leases.renew(List.of(lease), (same, renewal) -> {});
        }
        assertThat(session.isLost()).isFalse();
        assertThat(session.isIdle()).isFalse();
        assertThat(session.isHeld()).isTrue();
    }

    @Test
    void aLockThatIsReleasedNoLongerUsesIt() {
        assertThat(release(granted(LockMode.EXCLUSIVE, "holder"))).isEqualTo(Release.RELEASED);
        assertThat(session.isHeld()).isFalse();
        session.leave();
        assertThat(isIdleAfterItsTime()).isTrue();
    }

    @Test
    void aReleaseThatIsRepeatedEndsNobodyElsesUse() {
        ZooKeeperLease lease = granted(LockMode.EXCLUSIVE, "holder");
        assertThat(release(lease)).isEqualTo(Release.RELEASED);
        assertThat(release(lease)).isEqualTo(Release.NOT_OWNER);
        assertThat(isIdleAfterItsTime()).isFalse();
    }

    @Test
    void aLockWhoseNodeWasDeletedNoLongerUsesIt() {
        ZooKeeperLease lease = granted(LockMode.EXCLUSIVE, "holder");
        CompletableFuture<Void> told = new CompletableFuture<>();
        queues.leases.onLoss(lease, () -> told.complete(null));
        // Watched by then.
        pass(Duration.ofSeconds(1), session);
        get(session.calls().delete(lease.place.path()));
        get(told);
        assertThat(session.isHeld()).isFalse();
        session.leave();
        assertThat(isIdleAfterItsTime()).isTrue();
    }

    /** A request may be repeated before it is answered. */
    @Test
    void anOwnerThatAsksTwiceAtOnceHasOneLock() {
        ZooKeeperAcquisition first = acquire(LockMode.SHARED, "owner", SESSION);
        ZooKeeperAcquisition second = acquire(LockMode.SHARED, "owner", SESSION);
        Lease lease = get(first).orElseThrow().lease();
        assertThat(get(second).map(Grant::lease)).contains(lease);
        assertThat(get(session.calls().list(queues.paths.queue(key)))).hasSize(1);
        assertThat(release((ZooKeeperLease) lease)).isEqualTo(Release.RELEASED);
        assertThat(session.isHeld()).isFalse();
        session.leave();
        assertThat(isIdleAfterItsTime()).isTrue();
    }

    @Test
    void anIdleSessionIsEndedAndTheNextUserGetsAnother() {
        session.leave();
        pass(SESSION.minusMillis(500), session);
        assertThat(enter(LEASE)).isSameAs(session);
        session.leave();
        pass(SESSION.minusMillis(500), session);
        ticker.advance(LEASE);
        ZooKeeperSession next = enter(LEASE);
        assertThat(next).isNotSameAs(session);
        assertThat(get(next.calls().sync())).isTrue();
    }

    @Test
    void theUsualSessionIsAlwaysThere() {
        ZooKeeperSession usual = usual();
        pass(LocalZooKeeper.OPTIONS.session(usual.timeToLive()).plusSeconds(10), usual);
        assertThat(usual()).isSameAs(usual);
        assertThat(get(usual.calls().sync())).isTrue();
    }

    @Test
    void aSessionLastsAsLongAsTheLeaseAndLongerIfThatIsNoWholeSecond() {
        for (Duration lease : List.of(Duration.ofMillis(300), Duration.ofSeconds(2), Duration.ofNanos(2_000_000_001))) {
            ZooKeeperSession carries = enter(lease);
            assertThat(carries.timeToLive()).isBetween(lease, lease.plusSeconds(1));
            carries.leave();
        }
    }

    // --- how long it is known to last ---

    private String confirmedAgo(ZooKeeperSession of) {
        String text = of.describe();
        return text.substring(text.lastIndexOf(", ") + 2);
    }

    @Test
    void aSessionLastsFromWhenItWasAskedForAndNotFromWhenItWasGranted() {
        proxy.freeze();
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE.multipliedBy(2), PATIENCE);
        ticker.advance(Duration.ofMillis(700));
        proxy.thaw();
        assertThat(confirmedAgo(get(entering))).isEqualTo("confirmed 700 ms ago");
    }

    /** Nobody knows when the leader granted it. */
    @Test
    void aSessionThatWasGrantedLateIsReplaced() {
        proxy.freeze();
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE.multipliedBy(2), PATIENCE);
        ticker.advance(LocalZooKeeper.OPTIONS
                .betweenConfirmations(LEASE.multipliedBy(2))
                .plusMillis(1));
        proxy.thaw();
        assertThat(confirmedAgo(get(entering))).isEqualTo("confirmed 0 ms ago");
    }

    /** A thread that asked without a pause would be busy for as long as the server is silent. */
    @Test
    void aConfirmationThatIsUnderWayIsNotAskedForAgainAndAgain() {
        AtomicInteger scheduled = new AtomicInteger();
        whenScheduling(() -> assertThat(scheduled.incrementAndGet()).isLessThan(1_000));
        proxy.freeze();
        ticker.advance(SESSION);
        assertThat(session.isLost()).isTrue();
    }

    /** As in {@link SessionValidityTests}: by when it was sent, and not by its answer. */
    @Test
    void aConfirmationCountsFromWhenTheOneBeforeWasSent() {
        ZooKeeperSession usual = usual();
        pass(Duration.ofSeconds(1), usual);
        proxy.freeze();
        CompletableFuture<Renewal> sent = usual.confirm();
        ticker.advance(Duration.ofMillis(400));
        proxy.thaw();
        assertThat(get(sent)).isEqualTo(Renewal.RENEWED);
        pass(Duration.ofSeconds(1), usual);
        assertThat(get(usual.confirm())).isEqualTo(Renewal.RENEWED);
        assertThat(confirmedAgo(usual)).isEqualTo("confirmed 1400 ms ago");
    }

    @Test
    void theFirstAnswerAfterASilenceConfirmsNothing() {
        ZooKeeperSession usual = usual();
        pass(Duration.ofSeconds(4), usual);
        letTheConfirmationAge();
        assertThat(get(usual.confirm())).isEqualTo(Renewal.RENEWED);
        assertThat(confirmedAgo(usual)).isEqualTo("confirmed 13000 ms ago");
    }

    @Test
    void theUsualSessionIsNoLongerThanTheServersAllow() {
        ZooKeeperLockOptions options = LocalZooKeeper.OPTIONS.withLongestSession(Duration.ofSeconds(10));
        ZooKeeperClients clients = new ZooKeeperClients(CuratorFrameworkFactory.builder()
                .connectString(zooKeeper.server().connectString()));
        ZooKeeperSessions brief = new ZooKeeperSessions(runtime, options, clients);
        assertThat(options.session(get(brief.usual()).timeToLive())).isLessThanOrEqualTo(Duration.ofSeconds(10));
        brief.close(PATIENCE);
    }
}
