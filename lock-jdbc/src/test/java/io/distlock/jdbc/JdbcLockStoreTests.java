package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static io.distlock.jdbc.JdbcLockContract.unique;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore.Result;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What single tries leave in the row and say of it, and what is made of failures. The clock of the calls is the test's. */
class JdbcLockStoreTests {

    private static final Duration WAIT = Duration.ofMinutes(10);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final Database database = Database.h2();
    private final Watched dataSource = new Watched(database);
    private final DatabaseCalls calls = new DatabaseCalls(runtime, dataSource, Database.PATIENT);
    private final JdbcLockStore store = new JdbcLockStore(calls, Database.KEYS, ticker);
    private final LockKey key = unique();

    @AfterEach
    void close() {
        calls.close();
        runtime.close();
        database.close();
    }

    private LeaseRequest request(LockMode mode, String owner, Duration lease) {
        LockOptions options = LockOptions.defaults().withLeaseTime(lease).withLockDelay(Duration.ZERO);
        return new LeaseRequest(key, mode, owner, options, Deadline.in(WAIT, ticker));
    }

    private Result attempt(LockMode mode, String owner, Duration lease) {
        return get(store.attempt(request(mode, owner, lease), false));
    }

    private Result attempt(LockMode mode, String owner) {
        return attempt(mode, owner, Duration.ofHours(1));
    }

    private static Grant granted(Result result) {
        assertThat(result).isInstanceOf(Result.Granted.class);
        return ((Result.Granted) result).grant();
    }

    private static JdbcLease lease(Result result) {
        return (JdbcLease) granted(result).lease();
    }

    private static Duration freeIn(Result result) {
        assertThat(result).isInstanceOf(Result.Refused.class);
        return ((Result.Refused) result).freeIn().orElseThrow();
    }

    private Optional<LockRow> row() {
        return get(store.look(key));
    }

    private static Duration micros(long time) {
        return Duration.ofNanos(time * 1_000);
    }

    private void set(String columns) {
        assertThat(database.jdbc()
                        .update(
                                "update distributed_lock set " + columns + " where lock_key = ?",
                                Database.KEYS.row(key)))
                .isEqualTo(1);
    }

    // --- readers and writers ---

    /** Its process may die, and readers come back. */
    @Test
    void aWritersMarkLastsForSecondsHoweverLongItWaits() {
        granted(attempt(LockMode.SHARED, "reader"));
        attempt(LockMode.EXCLUSIVE, "writer");
        LockRow row = row().orElseThrow();
        assertThat(row.writer()).isEqualTo("writer");
        assertThat(micros(row.writerUntil() - row.now())).isBetween(Duration.ofMillis(1), Duration.ofSeconds(7));
    }

    /** Or readers would pass it, one after the other. */
    @Test
    void aWriterAsksAgainBeforeItsMarkIsOver() {
        granted(attempt(LockMode.SHARED, "reader"));
        assertThat(freeIn(attempt(LockMode.EXCLUSIVE, "writer")))
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
    }

    @Test
    void aReaderThatAsksAgainIsLetInThoughAWriterWaitsByNow() {
        JdbcLease first = lease(attempt(LockMode.SHARED, "reader"));
        attempt(LockMode.EXCLUSIVE, "writer");
        freeIn(attempt(LockMode.SHARED, "another"));
        assertThat(lease(attempt(LockMode.SHARED, "reader")).token()).isEqualTo(first.token());
    }

    @Test
    void aReaderThatAsksAgainHasItForLonger() {
        granted(attempt(LockMode.SHARED, "reader", Duration.ofMinutes(1)));
        granted(attempt(LockMode.SHARED, "reader", Duration.ofMinutes(50)));
        LockRow row = row().orElseThrow();
        assertThat(micros(row.readersUntil() - row.now())).isGreaterThan(Duration.ofMinutes(30));
        assertThat(row.current())
                .singleElement()
                .satisfies(reader -> assertThat(reader.expiresAt()).isEqualTo(row.readersUntil()));
    }

    /** The next grant begins above it. */
    @Test
    void aReaderThatAsksAgainDoesNotTakeBackTheTokenOfALaterOne() {
        JdbcLease first = lease(attempt(LockMode.SHARED, "first"));
        JdbcLease second = lease(attempt(LockMode.SHARED, "second"));
        assertThat(lease(attempt(LockMode.SHARED, "first")).token()).isEqualTo(first.token());
        assertThat(row().orElseThrow().token()).isEqualTo(second.token().value());
    }

    @Test
    void aReaderWhoseLockAHolderHasByNowIsToldSo() {
        JdbcLease reader = lease(attempt(LockMode.SHARED, "reader"));
        set("owner = 'holder', expires_at = " + Long.MAX_VALUE / 2);
        assertThat(get(store.renew(List.of(reader), Duration.ofHours(1)))).isEmpty();
        assertThat(get(store.release(reader, Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
        assertThat(row().orElseThrow().owner()).isEqualTo("holder");
    }

    @Test
    void aReaderThatAMarkKeepsOutAsksAgainWhenThatIsOver() {
        granted(attempt(LockMode.SHARED, "reader"));
        attempt(LockMode.EXCLUSIVE, "writer");
        assertThat(freeIn(attempt(LockMode.SHARED, "late"))).isLessThanOrEqualTo(Duration.ofSeconds(7));
    }

    /** Only a mark makes it ask before that. */
    @Test
    void aWriterAsksAgainWhenTheLastLeaseIsOver() {
        granted(attempt(LockMode.SHARED, "reader", Duration.ofMillis(3_900)));
        assertThat(freeIn(attempt(LockMode.EXCLUSIVE, "writer"))).isLessThan(Duration.ofMillis(3_950));
        set("owner = 'holder', expires_at = " + Long.MAX_VALUE / 2 + ", readers_until = 1");
        assertThat(freeIn(attempt(LockMode.EXCLUSIVE, "writer"))).isGreaterThan(Duration.ofHours(1));
    }

    /** However much longer or shorter its lease would have been. */
    @ParameterizedTest
    @ValueSource(ints = {10, 50})
    void aReaderThatLeavesBeforeItsMinimumHoldTimeKeepsWritersOutForTheRestOfIt(int minutes) {
        JdbcLease reader = lease(attempt(LockMode.SHARED, "reader", Duration.ofMinutes(30)));
        Duration rest = Duration.ofMinutes(minutes);
        assertThat(get(store.release(reader, rest))).isEqualTo(Release.RELEASED);
        LockRow row = row().orElseThrow();
        assertThat(row.current()).singleElement().satisfies(kept -> {
            assertThat(kept.owner()).isEqualTo("reader" + LockRow.KEPT);
            assertThat(kept.token()).isEqualTo(reader.token().value());
        });
        assertThat(micros(row.readersUntil() - row.now())).isBetween(rest.minusMinutes(3), rest);
        freeIn(attempt(LockMode.EXCLUSIVE, "writer"));
        assertThat(get(store.release(reader, Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
    }

    /** The shortest of their leases says nothing. */
    @Test
    void aWriterWaitsForTheLastOfTheReaders() {
        granted(attempt(LockMode.SHARED, "first", Duration.ofMinutes(1)));
        granted(attempt(LockMode.SHARED, "second", Duration.ofMinutes(50)));
        granted(attempt(LockMode.SHARED, "third", Duration.ofMinutes(2)));
        LockRow row = row().orElseThrow();
        assertThat(micros(row.readersUntil() - row.now())).isGreaterThan(Duration.ofMinutes(30));
    }

    // --- grants ---

    /** What is applied late still counts from before it was sent. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aGrantCountsFromBeforeItsStatementWasSent(LockMode mode) {
        dataSource.beforeEach(statement -> ticker.advance(Duration.ofMillis(700)));
        Grant grant = granted(attempt(mode, "owner"));
        assertThat(Duration.ofNanos(grant.since().elapsedNanos(ticker))).isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }

    /** A first lease and one that is renewed may differ, as with a minimum hold time. */
    @Test
    void aGrantIsRenewedForItsRenewedTimeAndAnEarlierTryIsWithdrawnForThatOfItsFirst() {
        LockOptions options = LockOptions.defaults()
                .withLeaseTime(Duration.ofMinutes(1))
                .withMinHoldTime(Duration.ofMinutes(9))
                .withLockDelay(Duration.ZERO);
        LeaseRequest request = new LeaseRequest(key, LockMode.EXCLUSIVE, "owner", options, Deadline.in(WAIT, ticker));
        assertThat(request.timeToLive()).isGreaterThan(request.renewedTimeToLive());
        JdbcLease lease = lease(get(store.attempt(request, true)));
        assertThat(lease.renewedTimeToLive()).isEqualTo(request.renewedTimeToLive());
        assertThat(lease.afterUnknown()).isEqualTo(request.timeToLive());
    }

    /** It may still be applied, and is withdrawn for as long. */
    @Test
    void aGrantRemembersThatAnEarlierTryMayBeApplied() {
        LeaseRequest request = request(LockMode.EXCLUSIVE, "owner", Duration.ofMinutes(3));
        assertThat(lease(get(store.attempt(request, false))).afterUnknown()).isZero();
        assertThat(lease(get(store.attempt(request, true))).afterUnknown()).isEqualTo(Duration.ofMinutes(3));
    }

    @Test
    void aForcedReleaseTakesTheGrantWithItsTokenAndNoOther() {
        JdbcLease first = lease(attempt(LockMode.SHARED, "first"));
        JdbcLease second = lease(attempt(LockMode.SHARED, "second"));
        assertThat(get(store.forceRelease(key, first.token()))).isEqualTo(Release.RELEASED);
        assertThat(row().orElseThrow().current())
                .singleElement()
                .satisfies(reader -> assertThat(reader.owner()).isEqualTo("second"));
        assertThat(get(store.forceRelease(key, first.token()))).isEqualTo(Release.NOT_OWNER);
        assertThat(get(store.forceRelease(key, second.token()))).isEqualTo(Release.RELEASED);
    }

    // --- tries that are given up ---

    /** Those of tries, until what is returned is completed. */
    private CompletableFuture<Void> occupyConnections() {
        CompletableFuture<Void> freed = new CompletableFuture<>();
        CompletableFuture<Void> busy = new CompletableFuture<>();
        calls.call(Urgency.TAKE, Duration.ofHours(1), (sql, any) -> {
            busy.complete(null);
            return freed.join();
        });
        get(busy);
        return freed;
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aTryThatIsCancelledWhileItWaitsForAConnectionLeavesNothing(LockMode mode) {
        CompletableFuture<Void> freed = occupyConnections();
        CompletableFuture<Result> tried =
                store.attempt(request(mode, "owner", WAIT), false).toCompletableFuture();
        tried.cancel(true);
        freed.complete(null);
        get(calls.call(Urgency.TAKE, (sql, any) -> true));
        assertThat(row()).isEmpty();
    }

    /** A new key's row is made first. */
    @Test
    void aTryOfTwoStatementsEndsWithinTheTimeOfOneCall() {
        dataSource.beforeEach(statement -> {
            if (statement.contains("insert")) {
                ticker.advance(CALL_TIMEOUT.minusSeconds(2));
            }
        });
        granted(attempt(LockMode.EXCLUSIVE, "owner"));
        assertThat(dataSource.limits).last().isEqualTo(2_000);
    }

    /** All connections for them are busy, as with requests that wait for a row. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void whoTriesAndLooksWaitsForItsTurnAndWhoKeepsOrFreesALockDoesNot(LockMode mode) {
        JdbcLease lease = lease(attempt(mode, "owner"));
        CompletableFuture<Void> freed = occupyConnections();
        CompletableFuture<Optional<LockRow>> look = store.look(key);
        assertThat(get(store.renew(List.of(lease), Duration.ofHours(2)))).containsExactly("owner");
        assertThat(get(store.release(lease, Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertThat(get(store.withdraw(mode, key, "owner"))).isEqualTo(Release.NOT_OWNER);
        assertThat(look).isNotDone();
        freed.complete(null);
        assertThat(get(look)).isPresent();
    }

    // --- failures ---

    private void fail(String state) {
        dataSource.beforeEach(statement -> {
            throw new SQLException("no", state);
        });
    }

    /** A connection that broke; a table that is missing; what the database does not answer in time. */
    @ParameterizedTest
    @CsvSource({"08006, true", "42P01, false", "57014, true", "XX000, true"})
    void aTryThatFailedMayBeAppliedUnlessTheDatabaseHasRefusedIt(String state, boolean mayBeApplied) {
        fail(state);
        for (LockMode mode : LockMode.values()) {
            assertThat(attempt(mode, "owner"))
                    .isInstanceOfSatisfying(
                            Result.Failed.class,
                            failed -> assertThat(failed.mayBeApplied()).isEqualTo(mayBeApplied));
        }
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aTryThatLosesToOthersUntilItsTimeIsOverIsNotApplied(LockMode mode) {
        dataSource.beforeEach(statement -> {
            ticker.advance(CALL_TIMEOUT.minusNanos(1));
            throw new SQLException("deadlock", "40001");
        });
        assertThat(attempt(mode, "owner"))
                .isInstanceOfSatisfying(
                        Result.Failed.class,
                        failed -> assertThat(failed.mayBeApplied()).isFalse());
    }

    @Test
    void aTryThatGetsNoConnectionIsNotApplied() {
        granted(attempt(LockMode.EXCLUSIVE, "before"));
        dataSource.refused = true;
        assertThat(attempt(LockMode.EXCLUSIVE, "owner"))
                .isInstanceOfSatisfying(
                        Result.Failed.class,
                        failed -> assertThat(failed.mayBeApplied()).isFalse());
    }

    @Test
    void aTryOfAClosedProviderIsNotApplied() {
        calls.close();
        assertThat(attempt(LockMode.EXCLUSIVE, "owner"))
                .isInstanceOfSatisfying(
                        Result.Failed.class,
                        failed -> assertThat(failed.mayBeApplied()).isFalse());
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aReleaseThatFailedIsUnknown(LockMode mode) {
        JdbcLease lease = lease(attempt(mode, "owner"));
        FencingToken token = lease.token();
        fail("08006");
        assertThat(get(store.release(lease, Duration.ZERO))).isEqualTo(Release.UNKNOWN);
        assertThat(get(store.withdraw(mode, key, "owner"))).isEqualTo(Release.UNKNOWN);
        assertThat(get(store.forceRelease(key, token))).isEqualTo(Release.UNKNOWN);
    }

    /** Something happens before each statement. Notes how long each connection's network may take, in milliseconds. */
    private static final class Watched extends DelegatingDataSource {

        private final List<Integer> limits = new CopyOnWriteArrayList<>();
        private volatile Event event = statement -> {};
        private volatile boolean refused;

        @FunctionalInterface
        private interface Event {

            void before(String statement) throws SQLException;
        }

        Watched(Database database) {
            super(database.direct());
        }

        void beforeEach(Event each) {
            event = each;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (refused) {
                throw new SQLException("too many connections");
            }
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            event.before((String) arguments[0]);
                        } else if (method.getName().equals("setNetworkTimeout")) {
                            limits.add((Integer) arguments[1]);
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }
    }
}
