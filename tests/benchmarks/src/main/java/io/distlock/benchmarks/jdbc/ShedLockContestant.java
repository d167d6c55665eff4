package io.distlock.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock's provider by the database's time, as its documentation shows it, on the application's pool. It does not wait. */
final class ShedLockContestant implements Contestant {

    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private final HikariDataSource connections;
    private final LockProvider provider;

    ShedLockContestant(HikariDataSource connections) {
        this.connections = connections;
        this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(connections))
                .usingDbTime()
                .build());
    }

    @Override
    public String name() {
        return "ShedLock";
    }

    @Override
    public void cycle(int item) {
        provider.lock(new LockConfiguration(now(), "peer:" + item, AT_MOST, Duration.ZERO))
                .orElseThrow()
                .unlock();
    }

    private static Instant now() {
        return Instant.ofEpochMilli(Ticker.system().now().wallMillis());
    }

    @Override
    public void close() {
        connections.close();
    }
}
