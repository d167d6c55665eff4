package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A fence in a table of the protected database. Each lock has a row with the largest token that has written under
 * it. Advancing locks the row until the transaction ends. So transactions under one lock run one after the other in the
 * database, even if two holders act as if they had the lock, and a stale one is refused.
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

    private static final Sequencer PROBE =
            new Sequencer(LockKey.of("probe"), LockMode.EXCLUSIVE, new FencingToken(Long.MAX_VALUE));

    private final DataSource dataSource;
    private final NamedParameterJdbcTemplate jdbc;
    private final FenceTable table;
    private final FenceDatabase database;
    private final LockedRows locked = new LockedRows();
    private final String defaultProvider;
    private final String advance;
    private final String look;
    private final String lookAndLock;
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
        this.database = FenceDatabase.of(dataSource);
        this.defaultProvider = defaultProvider;
        this.advance = database.advance().formatted(table.name());
        this.look = "select lock_key, token, provider from %s where lock_key in (:key, :floor)".formatted(table.name());
        this.lookAndLock =
                "select lock_key, token, provider from %s where lock_key = :key for update".formatted(table.name());
        this.delete = "delete from %s where lock_key = :key and token = :token and provider = :provider"
                .formatted(table.name());
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
        Grant grant = new Grant(sequencer, table.key(sequencer.key()), table.source(provider));
        if (locked.contains(grant)) {
            return true;
        }
        if (sequencer.mode() == LockMode.SHARED || isReadOnly()) {
            grant.requireNewest(rows(look, grant));
            return false;
        }
        if (locked.isSuspended(outer -> ((Grant) outer).key().equals(grant.key()))) {
            throw new IllegalStateException("lock '" + sequencer.key() + "' was acquired again in a transaction inside"
                    + " another one that has used it, and would wait for that one for ever: acquire it in one of them, or"
                    + " set distributed-lock.transactions.hold-until-completion to true");
        }
        raise(grant);
        locked.add(grant);
        return true;
    }

    private boolean isReadOnly() {
        return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                        && FenceDatabase.isReadOnly(holder.getConnection()));
    }

    /** Whether this thread is in a transaction of the data source. */
    public boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !FenceDatabase.isAutoCommit(holder.getConnection());
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
            Grant probe = new Grant(PROBE, "{probe}", table.source(defaultProvider));
            transaction.executeWithoutResult(status -> {
                status.setRollbackOnly();
                jdbc.update(advance, probe.parameters());
                jdbc.update(delete, probe.parameters());
            });
            database.prepareFloor()
                    .ifPresent(prepare -> transaction.executeWithoutResult(
                            status -> jdbc.update(prepare.formatted(table.name()), probe.parameters())));
        } catch (DataAccessException failure) {
            throw new IllegalStateException(
                    "the fence cannot use the table " + table.name() + ": create it with the script "
                            + database.script()
                            + " or set distributed-lock.jdbc.initialize-schema to always, and allow the application to"
                            + " select, insert, update and delete there",
                    failure);
        }
    }

    private void raise(Grant grant) {
        int count = update(grant);
        if (database.accepts(count)) {
            return;
        }
        Map<String, Row> rows = rows(look, grant);
        if (database.refuses(count)) {
            grant.refuse(rows);
        }
        // The statement has locked the row. Only a locking read is sure to see its newest version.
        rows.putAll(rows(lookAndLock, grant));
        if (!rows.containsKey(grant.key()) || grant.isBelowFloor(rows)) {
            // The row may be new, and would be accepted if the transaction tried again.
            jdbc.update(delete, grant.parameters());
            grant.refuse(rows);
        }
        grant.requireNewest(rows);
    }

    private int update(Grant grant) {
        for (int tries = 1; ; tries++) {
            try {
                return jdbc.update(advance, grant.parameters());
            } catch (DuplicateKeyException insertedMeanwhile) {
                if (database != FenceDatabase.H2 || tries == MOST_TRIES) {
                    throw insertedMeanwhile;
                }
            }
        }
    }

    private Map<String, Row> rows(String sql, Grant grant) {
        return jdbc
                .query(
                        sql,
                        grant.parameters(),
                        (row, number) ->
                                new Row(row.getString("lock_key"), row.getLong("token"), row.getString("provider")))
                .stream()
                .collect(Collectors.toMap(Row::key, row -> row, (one, other) -> one, HashMap::new));
    }

    private record Row(String key, long token, String source) {}

    /** A grant as the table has it. */
    private record Grant(Sequencer sequencer, String key, String source) {

        Map<String, Object> parameters() {
            return Map.<String, Object>of(
                    "key", key, "token", token(), "provider", source, "floor", FenceTable.floorOf(source));
        }

        long token() {
            return sequencer.token().value();
        }

        void requireNewest(Map<String, Row> rows) {
            Row row = rows.get(key);
            boolean newest = row == null || (row.source.equals(source) && row.token <= token());
            if (!newest || isBelowFloor(rows)) {
                refuse(rows);
            }
        }

        boolean isBelowFloor(Map<String, Row> rows) {
            Row floor = rows.get(FenceTable.floorOf(source));
            return floor != null && floor.token >= token();
        }

        void refuse(Map<String, Row> rows) {
            Row row = rows.get(key);
            if (row != null && !row.source.equals(source)) {
                throw new IllegalStateException("the fence has tokens of lock '" + sequencer.key() + "' from '"
                        + row.source
                        + "', which cannot be compared with those from '" + source
                        + "' (provider:key-prefix): when no instance uses '" + row.source
                        + "' any more, delete the rows with provider = '" + row.source + "' from the fence's table");
            }
            throw new StaleFencingTokenException(
                    sequencer,
                    newest(row, rows.get(FenceTable.floorOf(source)))
                            .map(token -> "the database has seen token " + token)
                            .orElse("the database has seen a later token"));
        }

        private Optional<Long> newest(@Nullable Row row, @Nullable Row floor) {
            long token = Math.max(row == null ? 0 : row.token, floor == null ? 0 : floor.token);
            // A transaction with an older snapshot refuses without seeing why.
            return Optional.of(token).filter(seen -> seen >= token());
        }
    }
}
