package io.distlock.jdbc.fence.proof;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.fencing.Fence;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The next holder, in another application without annotations. It repeats what the database refuses because of others.
 *
 * @param fence none in the control
 */
record Rival(LockClient locks, DataSource dataSource, Optional<Fence> fence) {

    private static final int MOST_TRIES = 20;

    /**
     * Takes the lock and does the work.
     *
     * @param granted called once the lock is held, before the first transaction
     */
    void write(Work work, Runnable granted) {
        LockRequest request = locks.request("account", work.account()).withWaitTime(Duration.ofSeconds(60));
        try (HeldLock held = locks.acquire(request)) {
            granted.run();
            for (int tries = 1; !booked(work, held, tries); tries++) {
                Thread.onSpinWait();
            }
        }
    }

    private boolean booked(Work work, HeldLock held, int tries) {
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        transaction.setIsolationLevel(work.isolation().level);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        try {
            transaction.executeWithoutResult(status -> {
                fence.ifPresent(each -> each.advance(held));
                int last = Objects.requireNonNull(jdbc.queryForObject(work.select(), Integer.class, work.account()));
                jdbc.update(
                        work.insert(),
                        work.account(),
                        last + 1,
                        held.fencingToken().value());
            });
            return true;
        } catch (ConcurrencyFailureException conflict) {
            if (tries == MOST_TRIES) {
                throw conflict;
            }
            return false;
        }
    }
}
