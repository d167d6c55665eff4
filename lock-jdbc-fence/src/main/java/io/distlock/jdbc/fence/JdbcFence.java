package io.distlock.jdbc.fence;

import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A fence in a table of the protected database. Each lock has a row with the largest token that has written under
 * it. Advancing locks the row until the transaction ends. So transactions under one lock run one after the other in the
 * database, even if two holders act as if they had the lock, and a stale one is refused. MySQL, MariaDB and H2 have statements
 * that commit, and so free the row, in the middle of a transaction: there it is advanced once more before the commit.
 *
 * <p>Call it first in a transaction, before reading what the lock protects. A transaction that is read-only, or whose lock
 * is shared, is only checked when it starts. Under REPEATABLE READ and SERIALIZABLE, a conflict may appear as the database's
 * own serialization failure instead.
 *
 * <p>Sources: M. Kleppmann, How to do distributed locking (2016); the generation check of Chubby's sequencers (OSDI 2006).
 * Thread-safe.
 */
public final class JdbcFence implements Fence {

    /** H2 alone may report a duplicate key, once for each transaction that inserted the row meanwhile. */
    private static final int MOST_TRIES = 5;

    private final DataSource dataSource;
    private final NamedParameterJdbcTemplate jdbc;
    private final FenceTable table;
    private final FenceSql fenceSql;
    private final LockedRows locked;
    private final String defaultProvider;
    private final String advance;
    private final String look;
    private final String lookAndLock;
    private final String lookAtFloorAndShare;
    private final String delete;

    /**
     * @param dataSource the data source of the transactions to fence
     * @param defaultProvider the provider of sequencers that are advanced without naming one
     * @throws IllegalStateException if the database does not answer or is not supported
     */
    public JdbcFence(DataSource dataSource, FenceTable table, String defaultProvider) {
        // A transaction manager binds its connection to the data source behind such a proxy.
        this.dataSource = dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : dataSource;
        JdbcTemplate template = new JdbcTemplate(this.dataSource);
        // By its codes, a wait for the row that took too long is told from other errors.
        template.setExceptionTranslator(new SQLErrorCodeSQLExceptionTranslator(this.dataSource));
        this.jdbc = new NamedParameterJdbcTemplate(template);
        this.table = table;
        this.fenceSql = FenceSql.of(dataSource);
        this.locked = new LockedRows(this::raise, fenceSql);
        this.defaultProvider = defaultProvider;
        this.advance = fenceSql.advance(table.name());
        this.look = FenceSql.look(table.name());
        this.lookAndLock = FenceSql.lookAndLock(table.name());
        this.lookAtFloorAndShare = FenceSql.lookAtFloorAndShare(table.name());
        this.delete = FenceSql.delete(table.name());
    }

    @Override
    public void advance(Sequencer sequencer) {
        advance(defaultProvider, sequencer);
    }

    /**
     * Like {@link #advance(Sequencer)}, for a grant of the named provider. In a transaction inside another one of this thread
     * that has locked the row ({@code REQUIRES_NEW}), it relies on that row, since it would wait for itself.
     *
     * @return whether the lock's row is locked until this transaction ends, or a later one; false if it was only compared
     * @throws IllegalStateException also if that row is locked for an earlier grant of the lock
     * @throws org.springframework.dao.CannotAcquireLockException if the row was not free within the database's lock timeout
     * @throws org.springframework.dao.DataAccessException if the database fails
     */
    public boolean advance(String provider, Sequencer sequencer) {
        if (!isInTransaction()) {
            throw new IllegalStateException("Fence.advance was called for lock '" + sequencer.key()
                    + "' outside a transaction of the fence's data source: begin one first");
        }
        FenceGrant grant = FenceGrant.of(sequencer, table, provider);
        if (locked.contains(grant)) {
            return true;
        }
        if (sequencer.mode() == LockMode.SHARED || isReadOnly()) {
            grant.requireNewest(rows(look, grant));
            return false;
        }
        if (locked.isSuspended(outer -> outer.key().equals(grant.key()))) {
            throw grant.wouldWaitForItself();
        }
        if (locked.isInDoubt(outer -> outer.key().equals(grant.key()))) {
            raiseInDoubt(grant, fenceSql.longestWait().orElseThrow(grant::mayWaitForItself));
        } else {
            locked.raise(grant);
        }
        return true;
    }

    /** The application's own statements wait for as long as before. A failure rolls the limit back. */
    private void raiseInDoubt(FenceGrant grant, String longestWait) {
        JdbcOperations plain = jdbc.getJdbcOperations();
        long before = Objects.requireNonNull(plain.queryForObject(longestWait, Long.class));
        if (!FenceSql.isLong(before)) {
            locked.raise(grant);
            return;
        }
        plain.execute(FenceSql.limitWait(FenceSql.MOST_MILLIS_IN_DOUBT));
        locked.raise(grant);
        plain.execute(FenceSql.limitWait(before));
    }

    private boolean isReadOnly() {
        return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && ask(holder.getConnection(), Connection::isReadOnly));
    }

    /** Whether this thread is in a transaction of the data source. */
    public boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                // It ends before the last callbacks, when the connection is still there.
                && TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !ask(holder.getConnection(), Connection::getAutoCommit);
    }

    /** Whether a data source leads to the fence's database, as one of them behind a proxy that the other one is in front of. */
    public boolean isOf(DataSource other) {
        return target(other) == target(dataSource);
    }

    private static DataSource target(DataSource source) {
        DataSource behind = source instanceof DelegatingDataSource proxy ? proxy.getTargetDataSource() : null;
        return behind == null ? source : target(behind);
    }

    private static boolean ask(Connection connection, Question question) {
        try {
            return question.of(connection);
        } catch (SQLException failure) {
            throw new IllegalStateException("cannot determine whether the connection is in a transaction", failure);
        }
    }

    /**
     * Tests the fence. Leaves nothing in the table, except a floor of the default provider if the database needs one.
     *
     * @throws IllegalStateException if its table is missing, has different columns or is not writable
     */
    public void verify() {
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        try {
            FenceGrant probe = FenceGrant.probe(table.source(defaultProvider));
            transaction.executeWithoutResult(status -> {
                status.setRollbackOnly();
                jdbc.update(advance, probe.parameters());
                jdbc.update(delete, probe.parameters());
            });
            fenceSql.prepareFloor(table.name())
                    .ifPresent(prepare ->
                            transaction.executeWithoutResult(status -> jdbc.update(prepare, probe.parameters())));
        } catch (DataAccessException failure) {
            throw table.unusable(fenceSql, "jdbc", failure);
        }
    }

    private void raise(FenceGrant grant) {
        int count = update(grant);
        if (fenceSql.accepts(count)) {
            return;
        }
        if (fenceSql.refuses(count)) {
            grant.refuse(rows(look, grant));
        }
        // The statement has locked the row. Locking reads see the newest versions, and take no snapshot: the
        // transaction may still wait for the row of another lock, and must read what was written until then.
        Map<String, FenceGrant.Row> rows = rows(lookAndLock, grant);
        rows.putAll(rows(lookAtFloorAndShare, grant));
        if (!rows.containsKey(grant.key()) || grant.isBelowFloor(rows)) {
            // The row may be new, and would be accepted if the transaction tried again.
            jdbc.update(delete, grant.parameters());
            grant.refuse(rows);
        }
        grant.requireNewest(rows);
    }

    private int update(FenceGrant grant) {
        for (int tries = 1; ; tries++) {
            try {
                return jdbc.update(advance, grant.parameters());
            } catch (DuplicateKeyException insertedMeanwhile) {
                if (fenceSql != FenceSql.H2) {
                    throw insertedMeanwhile;
                } else if (tries == MOST_TRIES) {
                    throw grant.newerThanSnapshot(insertedMeanwhile);
                }
            }
        }
    }

    private Map<String, FenceGrant.Row> rows(String sql, FenceGrant grant) {
        return jdbc
                .query(
                        sql,
                        grant.parameters(),
                        (row, number) -> new FenceGrant.Row(
                                row.getString("lock_key"), row.getLong("token"), row.getString("provider")))
                .stream()
                .collect(Collectors.toMap(FenceGrant.Row::key, row -> row, (one, other) -> one, HashMap::new));
    }

    @FunctionalInterface
    private interface Question {
        boolean of(Connection connection) throws SQLException;
    }
}
