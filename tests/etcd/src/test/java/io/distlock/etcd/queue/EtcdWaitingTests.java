package io.distlock.etcd.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.test.etcd.EtcdEntry;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For how long one who waits does not believe that the lock is free. No time passes for it by itself. */
class EtcdWaitingTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("waiting");
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final LockOptions PATIENT =
            LockOptions.defaults().withWaitTime(Duration.ofHours(1)).withLeaseTime(Duration.ofMinutes(2));

    private TestClient holder;
    private ManualTimeProvider waiting;
    private Set<Long> holders;
    private HeldLock held;

    @BeforeEach
    void open() {
        holder = TestClient.of(etcd.server().endpoint());
        held = holder.locks.acquire(holder.locks.request(KEY));
        holders = etcd.probe().leases();
        waiting = new ManualTimeProvider(etcd.server().endpoint());
    }

    @AfterEach
    void close() {
        waiting.close();
        holder.close();
    }

    private static List<String> places() {
        return etcd.probe().keys("lock/waiting/");
    }

    /** As a leader does that thaws; returns once the one who waits has seen it. */
    private void revoke(Set<Long> leases) {
        int before = waiting.failures();
        leases.forEach(etcd.probe()::revoke);
        waiting.awaitFailures(before + 1);
    }

    private void assertGrantedAfter(Duration time, CompletableFuture<Optional<Grant>> waiter) {
        waiting.advance(time.minus(MOMENT));
        assertThat(waiter).isNotDone();
        waiting.advance(MOMENT);
        assertThat(waiting.get(waiter)).isPresent();
    }

    @Test
    void oneWhoseDeadlineComesLeavesNothing() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT.withWaitTime(Duration.ofSeconds(3)));
        waiting.advance(Duration.ofSeconds(3));
        assertThat(waiting.get(waiter)).isEmpty();
        assertThat(places()).hasSize(1);
    }

    @Test
    void aLockWhoseLeaseHasGoneIsNotTakenAtOnce() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT);
        revoke(holders);
        assertGrantedAfter(GRACE, waiter);
    }

    @Test
    void aLongerLockDelayCountsInstead() {
        Duration lockDelay = Duration.ofSeconds(3);
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT.withLockDelay(lockDelay));
        revoke(holders);
        assertGrantedAfter(lockDelay, waiter);
    }

    /** It is the holder who may not know yet. */
    @Test
    void soDoesALongerLockDelayOfTheHolder() {
        Duration lockDelay = Duration.ofSeconds(3);
        held.release();
        held = holder.locks.acquire(holder.locks.request(KEY).withLockDelay(lockDelay));
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT);
        String owner = holder.locks.inspect(KEY).orElseThrow().holders().get(0).owner();
        revoke(etcd.probe().entries("lock/waiting/").stream()
                .filter(place -> place.key().endsWith(owner))
                .map(EtcdEntry::lease)
                .collect(Collectors.toSet()));
        assertGrantedAfter(lockDelay, waiter);
    }

    @Test
    void norIsItByOneWhoseOwnLeaseHasGoneToo() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT);
        Set<Long> revoked = etcd.probe().leases();
        revoke(revoked);
        // It has taken another place.
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().entries("lock/waiting/").stream()
                        .anyMatch(place -> !revoked.contains(place.lease())));
        assertGrantedAfter(GRACE, waiter);
    }

    @Test
    void norByOneWhoComesNewToAProviderThatHasLostItsSession() {
        waiting.parked(LockKey.of("waiting"), PATIENT).cancel(true);
        await().atMost(TestClient.PATIENCE).until(() -> places().size() == 1);
        etcd.probe().leases().forEach(etcd.probe()::revoke);
        int before = waiting.failures();
        CompletableFuture<Optional<Grant>> newcomer = waiting.acquire(KEY, PATIENT);
        waiting.awaitFailures(before + 1);
        assertGrantedAfter(GRACE, newcomer);
    }

    /** Whoever comes next sees that it left in good order, and would not wait. */
    @Test
    void oneWhoGivesUpMeanwhileStaysInTheQueueUntilThen() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT);
        revoke(holders);
        waiter.cancel(true);
        waiting.advance(GRACE.minus(MOMENT));
        assertThat(places()).hasSize(1);
        waiting.advance(MOMENT);
        waiting.await(() -> places().isEmpty());
    }

    @Test
    void oneWhoseDeadlineComesMeanwhileStaysInTheQueueUntilThen() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT.withWaitTime(GRACE.dividedBy(2)));
        revoke(holders);
        waiting.advance(GRACE.dividedBy(2));
        assertLeaseLost(waiter);
        assertThat(places()).hasSize(1);
        waiting.advance(GRACE.dividedBy(2));
        waiting.await(() -> places().isEmpty());
    }

    /** Whoever comes next has not seen that the holder's lease is gone. */
    @Test
    void oneWhoseProviderIsClosedMeanwhileIsNotTakenForOneThatLeft() {
        try (ManualTimeProvider next = new ManualTimeProvider(etcd.server().endpoint())) {
            waiting.parked(KEY, PATIENT);
            CompletableFuture<Optional<Grant>> behind = next.parked(KEY, PATIENT);
            revoke(holders);
            waiting.provider.close();
            await().atMost(TestClient.PATIENCE).until(() -> behind.isDone() || next.failures() > 0);
            assertThat(behind).isNotDone();
        }
    }

    private void assertLeaseLost(CompletableFuture<Optional<Grant>> waiter) {
        waiting.await(waiter::isDone);
        assertThat(waiter)
                .failsWithin(TestClient.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class)
                .withMessageContaining("a lease was lost a moment ago");
    }

    @Test
    void oneWhoDoesNotWaitIsNotToldThatAnotherHasIt() {
        waiting.parked(KEY, PATIENT);
        revoke(etcd.probe().leases());
        int before = waiting.refusals();
        assertLeaseLost(waiting.acquire(LockKey.of("free"), PATIENT.withWaitTime(Duration.ZERO)));
        assertThat(waiting.refusals()).isEqualTo(before);
    }

    /** The server still keeps the session, for nobody. */
    @Test
    void oneWhoseSessionIsOverByTheClockLeavesItsPlaceAndWaitsOutTheGrace() {
        CompletableFuture<Optional<Grant>> waiter = waiting.parked(KEY, PATIENT);
        List<String> before = places();
        int failures = waiting.failures();
        waiting.ticker.stepWallClock(Duration.ofHours(1));
        held.release();
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(places()).hasSize(1).doesNotContainAnyElementsOf(before));
        waiting.awaitFailures(failures + 1);
        assertGrantedAfter(GRACE, waiter);
    }

    @Test
    void aSessionThatIsOverByTheClockIsGivenUpAtTheServer() {
        waiting.parked(KEY, PATIENT);
        Set<Long> before = new HashSet<>(etcd.probe().leases());
        before.removeAll(holders);
        waiting.ticker.stepWallClock(Duration.ofHours(1));
        waiting.advance(Duration.ofMinutes(1));
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(etcd.probe().leases()).doesNotContainAnyElementsOf(before));
    }

    /** The session must not seem lost to a waiter that looks only after the close. */
    @Test
    void aLockThatWasReleasedJustBeforeItsClientWasClosedIsTakenAtOnce() {
        try (FaultProxy proxy =
                        FaultProxy.to(etcd.server().host(), etcd.server().port());
                ManualTimeProvider late =
                        new ManualTimeProvider(etcd.server().endpoint().withPort(proxy.port()))) {
            CompletableFuture<Optional<Grant>> waiter = late.parked(KEY, PATIENT);
            proxy.freeze();
            held.release();
            holder.provider.close();
            // Two seconds, unless this machine is busy.
            etcd.probe().leases().forEach(etcd.probe()::keepAlive);
            await().atMost(TestClient.PATIENCE)
                    .untilAsserted(() -> assertThat(etcd.probe().leases()).doesNotContainAnyElementsOf(holders));
            proxy.thaw();
            await().atMost(TestClient.PATIENCE).until(() -> {
                etcd.probe().leases().forEach(etcd.probe()::keepAlive);
                return waiter.isDone() || late.failures() > 0;
            });
            assertThat(waiter).isCompletedWithValueMatching(Optional::isPresent);
        }
    }

    /** Its session is given up, so the grant would be worth nothing. */
    @Test
    void aGrantThatIsUnderWayWhenTheProviderIsClosedFails() {
        LockKey free = LockKey.of("free");
        try (FaultProxy proxy =
                        FaultProxy.to(etcd.server().host(), etcd.server().port());
                ManualTimeProvider closing =
                        new ManualTimeProvider(etcd.server().endpoint().withPort(proxy.port()))) {
            // Now it has a session.
            closing.parked(KEY, PATIENT).cancel(true);
            proxy.delayReplies(Duration.ofSeconds(4));
            CompletableFuture<Optional<Grant>> underWay = closing.acquire(free, PATIENT);
            // Granted at the server, and the answer is on its way.
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().keys("lock/free/").size() == 1);
            proxy.freeze();
            Thread closer = new Thread(closing.provider::close);
            closer.start();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> closing.acquire(free, PATIENT).isCompletedExceptionally());
            proxy.thaw();
            assertThat(underWay)
                    .failsWithin(TestClient.PATIENCE)
                    .withThrowableThat()
                    .withMessageContaining("closed");
        }
    }

    @Test
    void aClosedProviderGrantsNothing() {
        waiting.provider.close();
        assertThat(waiting.acquire(KEY, PATIENT)).isCompletedExceptionally();
        assertThat(places()).hasSize(1);
    }
}
