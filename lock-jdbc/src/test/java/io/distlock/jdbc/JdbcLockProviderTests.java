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
import io.distlock.Sequencer;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What a provider does besides single tries. The clock is the test's, but for that of the database. */
class JdbcLockProviderTests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final Database database = Database.h2();
    private final JdbcLockProvider provider = new JdbcLockProvider(runtime, database.direct(), Database.PATIENT);

    @AfterEach
    void close() {
        provider.close();
        runtime.close();
        database.close();
    }

    private Lease take(LockMode mode, Duration lease) {
        return take(mode, "owner", lease);
    }

    private Lease take(LockMode mode, String owner, Duration lease) {
        return get(provider.acquire(request(unique(), mode, owner, lease)))
                .orElseThrow()
                .lease();
    }

    private LeaseRequest request(LockKey key, LockMode mode, String owner, Duration lease) {
        LockOptions options = LockOptions.defaults().withLeaseTime(lease).withLockDelay(Duration.ZERO);
        return new LeaseRequest(key, mode, owner, options, Deadline.in(Duration.ZERO, ticker));
    }

    private void awaitConnection() {
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return provider.connected().isDone();
        });
        assertThat(get(provider.connected())).isTrue();
    }

    private List<String> rows() {
        return database.jdbc().queryForList("select lock_key from distributed_lock", String.class);
    }

    @Test
    void rowsThatNobodyUsesGoWithinHours() {
        database.jdbc().update("insert into distributed_lock values ('unused', '', 1, 0, '', 0, '', 0)");
        awaitConnection();
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMinutes(91));
            return !rows().contains("unused");
        });
    }

    /** The runtime may outlive it. */
    @Test
    void aClosedOneSchedulesNothing() {
        awaitConnection();
        provider.close();
        // What is due by then ends by itself.
        ticker.advance(Duration.ofHours(3));
        assertThat(scheduler.pending()).isZero();
    }

    /** Leases of different lengths are renewed at one time, if they are due. */
    @Test
    void eachLeaseIsRenewedForItsOwnTime() {
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        for (LockMode mode : LockMode.values()) {
            List<Duration> times = List.of(Duration.ofMinutes(2), Duration.ofMinutes(50), Duration.ofMinutes(20));
            List<Lease> leases = times.stream().map(time -> take(mode, time)).toList();
            database.jdbc()
                    .update("update distributed_lock set expires_at = expires_at - 50000000 where expires_at > 0");
            answers.clear();
            provider.renew(leases, answers::put);
            await().atMost(PATIENCE).until(() -> answers.size() == 3);
            assertThat(answers).doesNotContainValue(Renewal.NOT_OWNER).doesNotContainValue(Renewal.UNKNOWN);
            for (int each = 0; each < 3; each++) {
                Duration remaining = get(provider.inspect(leases.get(each).key()))
                        .orElseThrow()
                        .holders()
                        .get(0)
                        .remaining()
                        .orElseThrow();
                assertThat(remaining)
                        .as("%s, lease %s", mode, each)
                        .isBetween(times.get(each).minusSeconds(30), times.get(each));
            }
        }
    }

    /** They share a row with the readers of their own lock alone. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void leasesOfOneLengthAreRenewedWhateverTheirLocks(LockMode mode) {
        List<Lease> leases = Stream.of("one", "two", "three")
                .map(owner -> take(mode, owner, Duration.ofMinutes(20)))
                .toList();
        assertThat(renewed(leases))
                .hasSize(3)
                .allSatisfy((lease, renewal) -> assertThat(renewal).isEqualTo(Renewal.RENEWED));
    }

    /** However short its renewals are. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void anExtensionLastsForTheTimeThatIsAskedFor(LockMode mode) {
        Lease lease = take(mode, Duration.ofMinutes(2));
        CompletableFuture<Renewal> extended = new CompletableFuture<>();
        provider.extend(lease, Duration.ofMinutes(50), (any, renewal) -> extended.complete(renewal));
        assertThat(get(extended)).isEqualTo(Renewal.RENEWED);
        assertThat(get(provider.inspect(lease.key()))
                        .orElseThrow()
                        .holders()
                        .get(0)
                        .remaining()
                        .orElseThrow())
                .isBetween(Duration.ofMinutes(45), Duration.ofMinutes(50));
    }

    /** More than a statement takes. */
    @Test
    void eachOfManyLeasesIsAnswered() {
        List<Lease> lost = IntStream.range(0, 2_001)
                .<Lease>mapToObj(each -> new JdbcLease(
                        LockKey.of("lost", String.valueOf(each)),
                        LockMode.EXCLUSIVE,
                        "owner-" + each,
                        new FencingToken(1),
                        Duration.ofMinutes(20),
                        Duration.ZERO))
                .toList();
        assertThat(renewed(lost))
                .hasSize(2_001)
                .allSatisfy((lease, renewal) -> assertThat(renewal).isEqualTo(Renewal.NOT_OWNER));
    }

    private Map<Lease, Renewal> renewed(List<Lease> leases) {
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        provider.renew(leases, answers::put);
        await().atMost(PATIENCE).until(() -> answers.size() == leases.size());
        return answers;
    }

    @Test
    void aRenewalWithoutAnAnswerIsUnknown() {
        List<Lease> both = List.of(
                take(LockMode.EXCLUSIVE, Duration.ofMinutes(20)), take(LockMode.SHARED, Duration.ofMinutes(20)));
        provider.close();
        assertThat(renewed(both))
                .allSatisfy((lease, renewal) -> assertThat(renewal).isEqualTo(Renewal.UNKNOWN));
    }

    @Test
    void aGrantIsCurrentInItsOwnModeAlone() {
        for (LockMode mode : LockMode.values()) {
            Lease lease = take(mode, Duration.ofMinutes(20));
            for (LockMode asked : LockMode.values()) {
                assertThat(get(provider.isCurrent(new Sequencer(lease.key(), asked, lease.token()))))
                        .as("%s, as %s", mode, asked)
                        .isEqualTo(mode == asked);
            }
        }
    }

    /** It may arrive only now, for an owner that is gone. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void whatATryWithoutAnAnswerLeavesIsWithdrawnAfterTheReleaseOfALaterOne(LockMode mode) {
        JdbcLease lease = (JdbcLease) take(mode, Duration.ofMinutes(20));
        assertThat(get(provider.release(afterATryWithoutAnAnswer(lease), Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        assertThat(get(provider.acquire(request(lease.key(), mode, lease.owner(), Duration.ofMinutes(20)))))
                .isPresent();
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(100));
            return get(provider.inspect(lease.key())).isEmpty();
        });
    }

    /** However long the database does not answer. */
    @Test
    void itIsWithdrawnForAsLongAsItCouldKeepTheLock() {
        JdbcLease lease = (JdbcLease) take(LockMode.EXCLUSIVE, Duration.ofMinutes(20));
        assertThat(get(provider.release(afterATryWithoutAnAnswer(lease), Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        database.jdbc().execute("alter table distributed_lock rename to elsewhere");
        for (int minute = 0; minute < 15; minute++) {
            ticker.advance(Duration.ofMinutes(1));
            // Behind the withdrawal, on the same thread.
            get(provider.check());
        }
        assertThat(runtime.reaper().pending()).isOne();
    }

    private static JdbcLease afterATryWithoutAnAnswer(JdbcLease lease) {
        return new JdbcLease(
                lease.key(),
                lease.mode(),
                lease.owner(),
                lease.token(),
                lease.renewedTimeToLive(),
                Duration.ofMinutes(20));
    }

    @Test
    void nothingIsWithdrawnIfEachTryWasAnsweredOrIfTheReleaseIsToBeRepeated() {
        JdbcLease lease = (JdbcLease) take(LockMode.EXCLUSIVE, Duration.ofMinutes(20));
        assertThat(get(provider.release(lease, Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertThat(runtime.reaper().pending()).isZero();
        provider.close();
        assertThat(get(provider.release(afterATryWithoutAnAnswer(lease), Duration.ZERO)))
                .isEqualTo(Release.UNKNOWN);
        assertThat(runtime.reaper().pending()).isZero();
    }

    @Test
    void closingEndsAllWaits() {
        Lease held = take(LockMode.EXCLUSIVE, Duration.ofMinutes(50));
        CompletableFuture<Optional<Grant>> waiter = provider.acquire(new LeaseRequest(
                held.key(),
                LockMode.EXCLUSIVE,
                "waiter",
                LockOptions.defaults().withWaitTime(Duration.ofMinutes(20)),
                Deadline.in(Duration.ofMinutes(20), ticker)));
        provider.close();
        await().atMost(PATIENCE).until(waiter::isDone);
    }

    @Test
    void whoCannotConnectLetsTheFirstCallsWaitForSoLongAndTriesUntilItIsClosed() {
        DataSource refusing = new DelegatingDataSource(database.direct()) {

            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("too many connections");
            }
        };
        ManualTicker time = new ManualTicker();
        ManualScheduler tries = new ManualScheduler(time);
        try (LockRuntime own = new LockRuntime(time, tries)) {
            JdbcLockProvider other =
                    new JdbcLockProvider(own, refusing, Database.PATIENT.withConnectTimeout(Duration.ofSeconds(47)));
            time.advance(Duration.ofSeconds(46));
            assertThat(other.connected()).isNotDone();
            time.advance(Duration.ofSeconds(1));
            assertThat(get(other.connected())).isFalse();
            other.close();
            time.advance(Duration.ofHours(1));
            assertThat(tries.pending()).isZero();
        }
    }

    /** The first connection may take longer than any call after it. */
    @Test
    void verifyingMayTakeAsLongAsTheFirstConnection() {
        List<Integer> limits = new CopyOnWriteArrayList<>();
        DataSource noting = new DelegatingDataSource(database.direct()) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("setNetworkTimeout")) {
                                limits.add((Integer) arguments[1]);
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
        JdbcLockOptions options =
                Database.PATIENT.withCallTimeout(Duration.ofSeconds(3)).withConnectTimeout(Duration.ofSeconds(47));
        try (JdbcLockProvider other = new JdbcLockProvider(runtime, noting, options)) {
            other.verify();
            assertThat(limits).contains(47_000);
        }
    }

    /** By the two clocks, whatever their units. */
    @Test
    void itsStatusSaysHowFarTheDatabasesClockIsAhead() {
        ticker.stepWallClock(Duration.ofMillis(System.currentTimeMillis()).minusMinutes(10));
        ProviderStatus status = get(provider.check());
        assertThat(status.state()).isEqualTo(ProviderStatus.State.UP);
        assertThat(status.details().get("clockAheadMillis"))
                .asInstanceOf(InstanceOfAssertFactories.LONG)
                .isBetween(
                        Duration.ofMinutes(9).toMillis(), Duration.ofMinutes(15).toMillis());
    }

    @Test
    void whereNothingAnswersItIsDownAndSaysWhy() {
        provider.close();
        ProviderStatus status = get(provider.check());
        assertThat(status.state()).isEqualTo(ProviderStatus.State.DOWN);
        assertThat(status.details()).containsOnlyKeys("error");
    }
}
