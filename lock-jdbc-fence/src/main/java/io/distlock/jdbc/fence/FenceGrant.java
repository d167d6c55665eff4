package io.distlock.jdbc.fence;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.TransactionException;

/** A grant as the fence's table has it, and what the rows that were found there say about it. */
record FenceGrant(Sequencer sequencer, String key, String source) {

    private static final Sequencer PROBE =
            new Sequencer(LockKey.of("probe"), LockMode.EXCLUSIVE, new FencingToken(Long.MAX_VALUE));

    /** A row of the table. */
    record Row(String key, long token, String source) {}

    static FenceGrant of(Sequencer sequencer, FenceTable table, String provider) {
        return new FenceGrant(sequencer, table.key(sequencer.key()), table.source(provider));
    }

    /** One that no lock has, to test the table with. */
    static FenceGrant probe(String source) {
        return new FenceGrant(PROBE, "{probe}", source);
    }

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

    /** For a transaction whose snapshot does not show the row that another one has inserted: it would fail again and again. */
    CannotAcquireLockException newerThanSnapshot(Throwable cause) {
        return new CannotAcquireLockException(
                "the row of lock '" + sequencer.key()
                        + "' is newer than the transaction's snapshot: repeat the transaction",
                cause);
    }

    /** Takes the place of earlier grants of the lock, whose tokens the row would refuse now. */
    void replaceIn(Set<FenceGrant> grants) {
        grants.removeIf(earlier -> earlier.key.equals(key));
        grants.add(this);
    }

    /** Always in one order, so that two transactions do not wait for each other. */
    static Stream<FenceGrant> inOrder(Set<FenceGrant> grants) {
        return grants.stream().sorted(Comparator.comparing(FenceGrant::key));
    }

    /** In a form that rolls back: Spring takes a TransactionException for a failure of the commit. */
    static IllegalStateException notChecked(TransactionException failure) {
        return new IllegalStateException(
                "the locks of the transaction could not be checked before its commit", failure);
    }

    /** For a row that an outer transaction of the same call may still have locked. */
    CannotAcquireLockException mayWaitForItself() {
        return new CannotAcquireLockException("the row of lock '" + sequencer.key()
                + "' may still be locked by the transaction around this one, whose last statement at the fence has failed,"
                + " so this one could wait for itself: end the outer one first, or repeat it");
    }

    /** For a grant whose row an outer transaction of the same call has locked for an earlier one. */
    IllegalStateException wouldWaitForItself() {
        return new IllegalStateException("lock '" + sequencer.key() + "' was acquired again in a transaction inside"
                + " another one that has used it, and would wait for that one for ever: acquire it in one of them, or"
                + " set distributed-lock.transactions.hold-until-completion to true");
    }
}
