package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class MariaDbLockTests extends JdbcLockContract {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.mariadb();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    Database database() {
        return database;
    }

    @Override
    String inKolkata() {
        return "set time_zone = '+05:30'";
    }

    /** By its offsets: the server of the tests knows no names of zones. */
    @Override
    long clockInBerlin(Instant time) {
        String offset = ZoneId.of("Europe/Berlin").getRules().getOffset(time).getId();
        String setting = "set time_zone = '%s', timestamp = %d.%03d"
                .formatted(offset, time.getEpochSecond(), time.getNano() / 1_000_000);
        return clockAfter(setting, database.sql().clock);
    }

    @Override
    String foldingColumn() {
        return "varchar(512) character set utf8mb4 collate utf8mb4_general_ci";
    }

    @Test
    void fiftyWaitersForOneLockAskTogether() {
        LockKey key = unique();
        assertThat(get(provider.acquire(lasting(key, Duration.ZERO)))).isPresent();
        List<CompletableFuture<Optional<Grant>>> waiters = Stream.generate(
                        () -> provider.acquire(lasting(key, Duration.ofHours(1))))
                .limit(50)
                .toList();
        // Each asks for itself at first, to be refused; then one looks for all.
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .until(MariaDbLockTests::statementsInASecond, each -> each > 0 && each <= 20);
        assertThat(statementsInASecond()).isBetween(1L, 20L);
        assertThat(waiters).noneMatch(CompletableFuture::isDone);
        waiters.forEach(waiter -> waiter.cancel(true));
    }

    /** Counted by the server, over some seconds. */
    private static long statementsInASecond() {
        long before = statements();
        long began = System.nanoTime();
        Duration window = Duration.ofSeconds(3);
        await().pollDelay(window).until(() -> true);
        double seconds = (System.nanoTime() - began) / 1e9;
        return Math.round(Math.ceil((statements() - before) / seconds));
    }

    @Test
    void tenThousandLocksAreRenewedByTwentyStatementsAtMost() {
        int locks = 10_000;
        List<Lease> leases = new ArrayList<>();
        List<Object[]> rows = new ArrayList<>();
        long expiry = Duration.ofMillis(System.currentTimeMillis()).plusDays(1).toMillis() * 1_000;
        for (int number = 1; number <= locks; number++) {
            LockKey key = unique();
            String owner = "owner-" + number;
            leases.add(new JdbcLease(
                    key, LockMode.EXCLUSIVE, owner, new FencingToken(number), Duration.ofDays(2), Duration.ZERO));
            rows.add(new Object[] {Database.KEYS.row(key), owner, number, expiry});
        }
        new JdbcTemplate(connections)
                .batchUpdate("insert into distributed_lock values (?, ?, ?, ?, '', 0, '', 0)", rows);
        assertThat(get(provider.connected())).isTrue();
        long before = statements();
        CountDownLatch renewed = new CountDownLatch(locks);
        provider.renew(leases, (lease, renewal) -> {
            if (renewal == Renewal.RENEWED) {
                renewed.countDown();
            }
        });
        await().atMost(Duration.ofMinutes(2)).until(() -> renewed.getCount() == 0);
        assertThat(statements() - before).isBetween(1L, 20L);
        database.jdbc().update("delete from distributed_lock where owner like 'owner-%'");
    }

    /** Those that read or write rows, whoever has sent them. */
    private static long statements() {
        String query = "select sum(variable_value) from information_schema.global_status"
                + " where variable_name in ('com_select', 'com_insert', 'com_update', 'com_delete')";
        Long all = database.jdbc().queryForObject(query, Long.class);
        return all == null ? 0 : all;
    }

    private LeaseRequest lasting(LockKey key, Duration waitTime) {
        LockOptions options =
                LockOptions.defaults().withLeaseTime(Duration.ofHours(1)).withWaitTime(waitTime);
        return new LeaseRequest(
                key, LockMode.EXCLUSIVE, UUID.randomUUID().toString(), options, Deadline.in(waitTime, Ticker.system()));
    }
}
