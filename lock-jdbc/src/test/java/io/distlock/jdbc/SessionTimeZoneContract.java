package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static io.distlock.jdbc.JdbcLockContract.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Sessions have time zones, and those have summers; leases have neither. */
abstract class SessionTimeZoneContract extends LockSqlContract {

    private static final Duration LEASE = Duration.ofMinutes(30);

    /** When Berlin's clocks go from 3 back to 2. */
    private static final Instant END_OF_SUMMER = Instant.parse("2025-10-26T01:00:00Z");

    /** Puts a session into a zone that is not the server's, half an hour beside the full ones. */
    abstract String inKolkata();

    /** The clock's value in a session in Berlin, if it were this time. */
    abstract long clockInBerlin(Instant time);

    private static LeaseRequest request(LockKey key) {
        return new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                UUID.randomUUID().toString(),
                LockOptions.defaults().withLeaseTime(LEASE),
                Deadline.in(Duration.ZERO, Ticker.system()));
    }

    @Test
    void theClockIsReadInUtc() {
        long now = Ticker.system().wallMillis();
        long here = clockAfter("select 1", database().sql().clock);
        long abroad = clockAfter(inKolkata(), database().sql().clock);
        assertThat(here / 1_000).isCloseTo(now, within(60_000L));
        assertThat(abroad / 1_000).isCloseTo(now, within(60_000L));
    }

    /** Local times repeat an hour that night: a lease that counted them would last an hour longer, or begin before it. */
    @Test
    void theClockGoesOnWhereDaylightSavingEnds() {
        Instant before = END_OF_SUMMER.minusMillis(500);
        Instant after = END_OF_SUMMER.plusMillis(500);
        assertThat(clockInBerlin(before)).isEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, before));
        assertThat(clockInBerlin(after)).isEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, after));
    }

    @Test
    void sessionsInDifferentZonesAgreeAboutALease() {
        LockKey key = unique();
        try (LockRuntime runtime = LockRuntime.start();
                JdbcLockConnections near = database().connections(Database.PATIENT);
                JdbcLockConnections far = database().connectionsAfter(inKolkata());
                JdbcLockProvider here = new JdbcLockProvider(runtime, near, Database.PATIENT);
                JdbcLockProvider abroad = new JdbcLockProvider(runtime, far, Database.PATIENT)) {
            Grant mine = get(here.acquire(request(key))).orElseThrow();
            assertThat(get(abroad.acquire(request(key)))).isEmpty();
            assertThat(remaining(abroad, key)).isBetween(LEASE.minusMinutes(5), LEASE.plusMinutes(1));
            assertThat(get(here.release(mine.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);

            Grant theirs = get(abroad.acquire(request(key))).orElseThrow();
            assertThat(theirs.lease().token().value())
                    .isGreaterThan(mine.lease().token().value());
            assertThat(get(here.acquire(request(key)))).isEmpty();
            assertThat(remaining(here, key)).isBetween(LEASE.minusMinutes(5), LEASE.plusMinutes(1));
            assertThat(get(abroad.release(theirs.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        }
    }

    private static Duration remaining(JdbcLockProvider provider, LockKey key) {
        LockStatus.Holder holder =
                get(provider.inspect(key)).orElseThrow().holders().get(0);
        Optional<Duration> remaining = holder.remaining();
        return remaining.orElseThrow();
    }

    /** What a query says in a session that has been set up by a statement. */
    final long clockAfter(String setting, String query) {
        Long clock = database().jdbc().execute((Connection session) -> {
            try (Statement statement = session.createStatement()) {
                statement.execute(setting);
                try (ResultSet rows = statement.executeQuery(query)) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        });
        return clock == null ? 0 : clock;
    }
}
