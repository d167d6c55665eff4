package io.distlock.jdbc;

import io.distlock.jdbc.LockRow.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/** Changes the readers of a key, by a look at its row and an update that compares what was seen. */
record Readers(LockSql sql, NamedParameterJdbcOperations database) {

    /** Repeated like a deadlock: nothing has been applied. */
    static ConcurrencyFailureException overtaken() {
        return new ConcurrencyFailureException("the row of this lock has changed in between, again and again");
    }

    void replace(LockRow row, List<Reader> readers, long token, MapSqlParameterSource lock, boolean frees) {
        MapSqlParameterSource parameters = new MapSqlParameterSource(lock.getValues())
                .addValue("next", token)
                .addValue("token", row.token())
                .addValue("before", row.readers())
                .addValue("readers", Reader.text(readers))
                .addValue(
                        "until",
                        readers.stream().mapToLong(Reader::expiresAt).max().orElse(0));
        int changed = frees ? sql.free(database, sql.readers, parameters) : database.update(sql.readers, parameters);
        if (changed == 0) {
            throw overtaken();
        }
    }

    /** Whose owners it answers with were among them. */
    private Set<String> change(
            MapSqlParameterSource lock, Set<String> owners, UnaryOperator<Reader> change, boolean frees) {
        LockRow row = sql.look(database, lock).orElse(null);
        if (row == null || row.expiresAt() > row.now()) {
            return Set.of();
        }
        Set<String> found = new HashSet<>();
        List<Reader> readers = new ArrayList<>();
        for (Reader each : row.current()) {
            boolean wanted = owners.contains(each.owner()) && found.add(each.owner());
            Reader changed = wanted ? change.apply(each) : each;
            if (changed.expiresAt() > row.now()) {
                readers.add(changed);
            }
        }
        if (!found.isEmpty()) {
            replace(row, readers, row.token(), lock, frees);
        }
        return found;
    }

    /** Which of these owners' leases last this long from now on. */
    Set<String> renew(MapSqlParameterSource lock, Set<String> owners, long ttl) {
        long now = sql.look(database, lock).map(LockRow::now).orElse(0L);
        return change(lock, owners, each -> each.until(now + ttl), false);
    }

    /** Whether the owner was among them. */
    boolean leave(MapSqlParameterSource lock, String owner, long token, long keep) {
        long now = keep == 0 ? 0 : sql.look(database, lock).map(LockRow::now).orElse(0L);
        Reader left = keep == 0 ? new Reader(owner, token, 0) : new Reader(owner + LockRow.KEPT, token, now + keep);
        return !change(lock, Set.of(owner), each -> left, true).isEmpty();
    }
}
