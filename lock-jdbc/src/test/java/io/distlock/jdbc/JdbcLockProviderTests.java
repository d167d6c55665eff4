package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static io.distlock.jdbc.JdbcLockContract.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
        LockOptions options = LockOptions.defaults().withLeaseTime(lease).withLockDelay(Duration.ZERO);
        return get(provider.acquire(
                        new LeaseRequest(unique(), mode, "owner", options, Deadline.in(Duration.ZERO, ticker))))
                .orElseThrow()
                .lease();
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
