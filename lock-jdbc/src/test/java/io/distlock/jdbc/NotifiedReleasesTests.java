package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static io.distlock.jdbc.JdbcLockContract.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * What may let a waiter in is announced, in each way that it comes about, and nothing else is: each message costs every process a
 * look. The test listens by itself: the look at all keys every
 * few seconds would cover a message that nobody sends.
 */
class NotifiedReleasesTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Database database;

    private final LockRuntime runtime = LockRuntime.start();
    private final LockKey key = unique();
    private JdbcLockConnections connections;
    private JdbcLockProvider provider;
    private DatabaseCalls calls;
    private JdbcLockStore store;
    private Connection listener;

    @BeforeAll
    static void start() {
        database = Database.postgresql();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void listen() throws SQLException {
        connections = database.connections(Database.PATIENT);
        provider = new JdbcLockProvider(runtime, connections, Database.PATIENT);
        calls = new DatabaseCalls(runtime, connections, Database.PATIENT);
        store = new JdbcLockStore(calls, Database.KEYS, runtime.ticker());
        listener = database.direct().getConnection();
        try (Statement statement = listener.createStatement()) {
            statement.execute("listen " + database.sql().channel().orElseThrow());
        }
    }

    @AfterEach
    void close() throws SQLException {
        listener.close();
        calls.close();
        provider.close();
        connections.close();
        runtime.close();
    }

    private LeaseRequest request(LockMode mode, Duration waitTime) {
        return request(mode, mode + "-owner", waitTime);
    }

    private LeaseRequest request(LockMode mode, String owner, Duration waitTime) {
        LockOptions options =
                LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10)).withWaitTime(waitTime);
        return new LeaseRequest(key, mode, owner, options, Deadline.in(waitTime, runtime.ticker()));
    }

    private Grant take(LockMode mode) {
        return get(provider.acquire(request(mode, Duration.ZERO))).orElseThrow();
    }

    /** A single try of one who would wait. */
    private void isRefused(LockMode mode, Duration waitTime) {
        assertThat(get(store.attempt(request(mode, "waiter", waitTime), false)))
                .isInstanceOf(TryLockStore.Result.Refused.class);
    }

    private void isRefused(LockMode mode) {
        isRefused(mode, Duration.ofMinutes(10));
    }

    private void release(Grant grant) {
        assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }

    /** Beside the provider's own probe. */
    private List<String> announced() throws SQLException {
        PGNotification[] messages = listener.unwrap(PGConnection.class).getNotifications(100);
        return Stream.of(messages == null ? new PGNotification[0] : messages)
                .map(PGNotification::getParameter)
                .filter(row -> !row.equals("{probe}"))
                .toList();
    }

    private void assertAnnounced() {
        assertThat(await().atMost(PATIENCE).until(this::announced, rows -> !rows.isEmpty()))
                .containsExactly(Database.KEYS.row(key));
    }

    /** Messages arrive in the order of their transactions. */
    private void assertNothingAnnounced() {
        database.jdbc()
                .query(
                        "select pg_notify(?, 'end')",
                        (row, number) -> number,
                        database.sql().channel().orElseThrow());
        assertThat(await().atMost(PATIENCE).until(this::announced, rows -> !rows.isEmpty()))
                .containsExactly("end");
    }

    @Test
    void aHoldersRelease() {
        Grant grant = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.EXCLUSIVE);
        release(grant);
        assertAnnounced();
    }

    @Test
    void aHoldersReleaseToAReader() {
        Grant grant = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.SHARED);
        release(grant);
        assertAnnounced();
    }

    @Test
    void aReadersRelease() {
        Grant grant = take(LockMode.SHARED);
        isRefused(LockMode.EXCLUSIVE);
        release(grant);
        assertAnnounced();
    }

    @Test
    void aReleaseThatNobodyWaitsForIsNotAnnounced() {
        release(take(LockMode.EXCLUSIVE));
        release(take(LockMode.EXCLUSIVE));
        release(take(LockMode.SHARED));
        assertNothingAnnounced();
    }

    @Test
    void whoDoesNotWaitIsNotToldEither() {
        Grant grant = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.EXCLUSIVE, Duration.ZERO);
        isRefused(LockMode.SHARED, Duration.ZERO);
        release(grant);
        assertNothingAnnounced();
    }

    /** It lets nobody in. */
    @Test
    void aRenewalIsNotAnnounced() {
        for (LockMode mode : LockMode.values()) {
            Grant grant = take(mode);
            isRefused(LockMode.EXCLUSIVE);
            CompletableFuture<Renewal> renewed = new CompletableFuture<>();
            provider.renew(List.of(grant.lease()), (lease, renewal) -> renewed.complete(renewal));
            assertThat(get(renewed)).isEqualTo(Renewal.RENEWED);
            assertNothingAnnounced();
            release(grant);
            assertAnnounced();
        }
    }

    /** Who has waited before knows of the release that made the grant possible. */
    @Test
    void aNewGrantIsWaitedForByNobody() {
        Grant grant = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.EXCLUSIVE);
        release(grant);
        assertAnnounced();
        release(take(LockMode.EXCLUSIVE));
        assertNothingAnnounced();
    }

    /** Of several who wait one is faster, and its repeated request, which finds the lock to be its own, leaves the mark. */
    @Test
    void whoIsRefusedOnceMoreIsToldOnceMore() {
        Grant grant = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.EXCLUSIVE);
        isRefused(LockMode.SHARED);
        release(grant);
        assertAnnounced();
        Grant next = take(LockMode.EXCLUSIVE);
        isRefused(LockMode.EXCLUSIVE);
        assertThat(get(provider.acquire(request(LockMode.EXCLUSIVE, Duration.ofMinutes(10)))))
                .isPresent();
        release(next);
        assertAnnounced();
    }

    @Test
    void aForcedRelease() {
        FencingToken token = take(LockMode.EXCLUSIVE).lease().token();
        isRefused(LockMode.EXCLUSIVE);
        assertThat(get(provider.forceRelease(key, token))).isEqualTo(Release.RELEASED);
        assertAnnounced();
    }

    /** Readers that it has kept out may enter. */
    @Test
    void aWriterThatWaitsNoLonger() {
        take(LockMode.SHARED);
        CompletableFuture<Optional<Grant>> writer =
                provider.acquire(request(LockMode.EXCLUSIVE, Duration.ofMinutes(10)));
        await().atMost(PATIENCE)
                .until(
                        () -> database.jdbc()
                                .queryForObject(
                                        "select writer from distributed_lock where lock_key = ?",
                                        String.class,
                                        Database.KEYS.row(key)),
                        "EXCLUSIVE-owner"::equals);
        writer.cancel(true);
        assertAnnounced();
    }

    /** A request whose answer was lost may have been granted. */
    @Test
    void aWithdrawnHolder() {
        withdrawn(LockMode.EXCLUSIVE);
    }

    @Test
    void aWithdrawnReader() {
        withdrawn(LockMode.SHARED);
    }

    private void withdrawn(LockMode mode) {
        LeaseRequest request = request(mode, Duration.ZERO);
        take(mode);
        isRefused(LockMode.EXCLUSIVE);
        assertThat(get(store.withdraw(request))).isEqualTo(Release.RELEASED);
        assertAnnounced();
    }
}
