package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgreSqlLockTests extends JdbcLockContract {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.postgresql();
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
    String foldingColumn() {
        return "";
    }

    @Override
    long inAnotherZone() {
        return clockAfter("set time zone 'Asia/Kolkata'");
    }

    @Test
    void aCycleIsTwoStatements() {
        assertThat(get(provider.connected())).isTrue();
        LockKey key = LockKey.of("cycle");
        cycle(key);
        database.jdbc().execute("alter system set log_statement = 'all'");
        database.jdbc().execute("select pg_reload_conf()");
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            database.jdbc().execute("select 'counted'");
            return database.server().process().log().contains("select 'counted'");
        });
        for (int cycle = 0; cycle < 20; cycle++) {
            cycle(key);
        }
        database.jdbc().execute("select 'over'");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> database.server().process().log().contains("select 'over'"));
        // Statements of several lines are continued on the next ones.
        long statements = database.server()
                .process()
                .log()
                .lines()
                .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*")
                        && !line.contains("select '")
                        && !line.contains(": SET ")
                        && !line.contains("pg_reload_conf"))
                .count();
        assertThat(statements).isEqualTo(2 * 20);
    }

    private void cycle(LockKey key) {
        LeaseRequest request = new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                UUID.randomUUID().toString(),
                LockOptions.defaults(),
                Deadline.in(Duration.ZERO, Ticker.system()));
        Grant grant = get(provider.acquire(request)).orElseThrow();
        assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
    }
}
