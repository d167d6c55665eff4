package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** What each statement does with a row in each state. Times are hours away, so that no test depends on how long it takes. */
abstract class LockSqlContract {

    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;

    private final String key = UUID.randomUUID().toString();

    abstract Database database();

    private LockSql sql() {
        return database().sql();
    }

    private NamedParameterJdbcTemplate template() {
        return new NamedParameterJdbcTemplate(database().direct());
    }

    private long now() {
        Long now = database().jdbc().queryForObject(sql().clock, Long.class);
        return now == null ? 0 : now;
    }

    private static LockRow held(String owner, long token, long expiresAt) {
        return new LockRow(owner, token, expiresAt, "", 0, "", 0, 0);
    }

    private static LockRow read(long until) {
        return new LockRow("", 8, 0, "reader:8:" + until, until, "", 0, 0);
    }

    private static LockRow marked(LockRow row, String writer, long until) {
        return new LockRow(
                row.owner(), row.token(), row.expiresAt(), row.readers(), row.readersUntil(), writer, until, 0);
    }

    private void put(String where, LockRow row) {
        database().jdbc().update("delete from distributed_lock where lock_key = ?", where);
        database()
                .jdbc()
                .update(
                        "insert into distributed_lock values (?, ?, ?, ?, ?, ?, ?, ?)",
                        where,
                        row.owner(),
                        row.token(),
                        row.expiresAt(),
                        row.readers(),
                        row.readersUntil(),
                        row.writer(),
                        row.writerUntil());
    }

    /** Without the time at which it was read. */
    private LockRow row(String where) {
        LockRow row =
                sql().look(template(), new MapSqlParameterSource("key", where)).orElseThrow();
        return new LockRow(
                row.owner(),
                row.token(),
                row.expiresAt(),
                row.readers(),
                row.readersUntil(),
                row.writer(),
                row.writerUntil(),
                0);
    }

    private LockRow take(String owner, long ttl, long patience) {
        MapSqlParameterSource request = new MapSqlParameterSource("key", key)
                .addValue("owner", owner)
                .addValue("ttl", ttl)
                .addValue("patience", patience);
        LockRow free = sql().takeFree(template(), List.of(request)).get(key);
        return free == null ? sql().take(template(), request).orElseThrow() : free;
    }

    private boolean release(String owner, long token, long keep) {
        MapSqlParameterSource grant = new MapSqlParameterSource("key", key)
                .addValue("owner", owner)
                .addValue("token", token)
                .addValue("keep", keep);
        return sql().release(template(), List.of(grant)).contains(key);
    }

    private int withdraw(String owner) {
        return sql().free(template(), sql().withdraw, new MapSqlParameterSource("key", key).addValue("owner", owner));
    }

    // --- taking it ---

    @Test
    void aFreeLockIsTakenWithATokenOfTheClock() {
        put(key, held("", 5, 0));
        long before = now();
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isTrue();
        assertThat(row(key).token()).isGreaterThanOrEqualTo(before);
        assertThat(row(key).expiresAt()).isGreaterThanOrEqualTo(before + HOUR);
    }

    @Test
    void whoHasLostItGetsAnotherToken() {
        long last = now() + 10 * HOUR;
        put(key, held("one", last, now() - HOUR));
        assertThat(take("one", HOUR, 0).token()).isEqualTo(last + 1);
    }

    @Test
    void whoHasItKeepsItsTokenAndTheLongerLease() {
        long end = now() + 10 * HOUR;
        put(key, held("one", 7, end));
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isTrue();
        assertThat(row(key)).isEqualTo(held("one", 7, end));
        take("one", 20 * HOUR, 0);
        assertThat(row(key).token()).isEqualTo(7);
        assertThat(row(key).expiresAt()).isGreaterThan(end);
    }

    @Test
    void whatAnotherHoldsStaysAsItIs() {
        LockRow others = held("other", 7, now() + HOUR);
        put(key, others);
        assertThat(take("one", HOUR, HOUR).isHeldBy("one")).isFalse();
        assertThat(row(key)).isEqualTo(others);
    }

    /** Not even one that has held it before, and whose name is still there. */
    @Test
    void nobodyTakesWhatReadersHold() {
        long until = now() + HOUR;
        put(key, new LockRow("one", 7, now() - HOUR, "reader:8:" + until, until, "", 0, 0));
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isFalse();
        assertThat(take("two", HOUR, 0).isHeldBy("two")).isFalse();
        assertThat(row(key).readersUntil()).isEqualTo(until);
    }

    @Test
    void aWriterThatWaitsLeavesItsMarkAndASingleAttemptNone() {
        put(key, read(now() + HOUR));
        take("hasty", HOUR, 0);
        assertThat(row(key).writer()).isEmpty();
        take("patient", HOUR, HOUR);
        assertThat(row(key).writer()).isEqualTo("patient");
        assertThat(row(key).writerUntil()).isGreaterThan(now());
    }

    @Test
    void whoTakesItRemovesItsOwnMarkAndNotThatOfAnother() {
        put(key, marked(held("", 5, 0), "one", now() + HOUR));
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isTrue();
        assertThat(row(key).writer()).isEmpty();
        assertThat(row(key).writerUntil()).isZero();
        long until = now() + HOUR;
        put(key, marked(held("", 5, 0), "other", until));
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isTrue();
        assertThat(row(key).writer()).isEqualTo("other");
        assertThat(row(key).writerUntil()).isEqualTo(until);
    }

    // --- giving it back ---

    @Test
    void onlyTheGrantItselfIsReleased() {
        LockRow held = held("one", 7, now() + HOUR);
        put(key, held);
        assertThat(release("other", 7, 0)).isFalse();
        assertThat(release("one", 6, 0)).isFalse();
        assertThat(row(key)).isEqualTo(held);
        assertThat(release("one", 7, 0)).isTrue();
        assertThat(row(key)).isEqualTo(held("", 7, 0));
    }

    @Test
    void whatHasExpiredCanNoLongerBeReleased() {
        put(key, held("one", 7, now() - HOUR));
        assertThat(release("one", 7, 0)).isFalse();
        assertThat(release("one", 7, HOUR)).isFalse();
    }

    @Test
    void aKeptLockIsNobodysUntilItsTimeIsOver() {
        put(key, held("one", 7, now() + HOUR));
        long before = now();
        assertThat(release("one", 7, 2 * HOUR)).isTrue();
        assertThat(row(key).owner()).isEqualTo("one" + LockRow.KEPT);
        assertThat(row(key).expiresAt()).isGreaterThanOrEqualTo(before + 2 * HOUR);
        assertThat(take("one", HOUR, 0).isHeldBy("one")).isFalse();
    }

    @Test
    void whoWithdrawsTakesAwayItsGrantOrItsMarkAndNothingOfAnother() {
        LockRow others = held("other", 7, now() + HOUR);
        put(key, marked(others, "one", now() + HOUR));
        assertThat(withdraw("third")).isZero();
        assertThat(withdraw("one")).isEqualTo(1);
        assertThat(row(key)).isEqualTo(others);
        long until = now() + HOUR;
        put(key, marked(held("one", 7, now() + HOUR), "other", until));
        assertThat(withdraw("one")).isEqualTo(1);
        assertThat(row(key)).isEqualTo(marked(held("", 7, 0), "other", until));
    }

    // --- renewing it ---

    @Test
    void aBatchRenewsWhatItsOwnersStillHoldAndShortensNothing() {
        long soon = now() + HOUR;
        long late = now() + 10 * HOUR;
        put(key + "-held", held("one", 7, soon));
        put(key + "-longer", held("one", 9, late));
        put(key + "-others", held("two", 7, soon));
        put(key + "-later grant", held("one", 6, soon));
        put(key + "-expired", held("one", 8, now() - HOUR));
        MapSqlParameterSource batch = new MapSqlParameterSource("ttl", 2 * HOUR)
                .addValue(
                        "keys",
                        List.of(
                                key + "-held",
                                key + "-longer",
                                key + "-others",
                                key + "-later grant",
                                key + "-expired"))
                .addValue("owners", List.of("one"))
                .addValue("tokens", List.of(7, 8, 9));
        template().update(sql().renew, batch);
        assertThat(row(key + "-held").expiresAt()).isGreaterThan(soon);
        assertThat(row(key + "-longer").expiresAt()).isEqualTo(late);
        assertThat(row(key + "-others").expiresAt()).isEqualTo(soon);
        assertThat(row(key + "-later grant").expiresAt()).isEqualTo(soon);
        assertThat(row(key + "-expired").expiresAt()).isLessThan(now());
        assertThat(template().queryForList(sql().renewed, batch, String.class)).containsExactly("one", "one");
    }

    // --- readers ---

    @Test
    void readersAreReplacedOnlyInTheRowThatWasRead() {
        LockRow read = read(now() + HOUR);
        put(key, read);
        assertThat(replace(7, read.readers())).isZero();
        assertThat(replace(8, "")).isZero();
        put(key, new LockRow("one", 8, now() + HOUR, read.readers(), read.readersUntil(), "", 0, 0));
        assertThat(replace(8, read.readers())).isZero();
        put(key, new LockRow("one", 8, now() - HOUR, read.readers(), read.readersUntil(), "", 0, 0));
        assertThat(replace(8, read.readers())).isEqualTo(1);
        assertThat(row(key)).isEqualTo(new LockRow("", 9, 0, "another:9:1", 1, "", 0, 0));
    }

    private int replace(long token, String before) {
        return template()
                .update(
                        sql().readers,
                        new MapSqlParameterSource("key", key)
                                .addValue("token", token)
                                .addValue("before", before)
                                .addValue("next", 9)
                                .addValue("readers", "another:9:1")
                                .addValue("until", 1));
    }

    // --- rows that nobody uses ---

    @Test
    void aRowThatWasUsedLatelyInAnyWayStays() {
        long old = now() - 3 * HOUR;
        put(key, new LockRow("", old, old, "", old, "", old, 0));
        put(key + "-held", new LockRow("", old, now(), "", old, "", old, 0));
        put(key + "-read", new LockRow("", old, old, "", now(), "", old, 0));
        put(key + "-marked", new LockRow("", old, old, "", old, "", now(), 0));
        put(key + "-given", new LockRow("", now(), old, "", old, "", old, 0));
        put(LockSql.FLOOR, new LockRow("", old, old, "", old, "", old, 0));
        MapSqlParameterSource retention = new MapSqlParameterSource("retention", HOUR);
        assertThat(template().query(sql().unused, retention, (columns, number) -> columns.getString(1)))
                .contains(key)
                .doesNotContain(key + "-held", key + "-read", key + "-marked", key + "-given", LockSql.FLOOR);
        // All of them were unused when they were looked for.
        retention
                .addValue("keys", List.of(key, key + "-held", key + "-read", key + "-marked", key + "-given"))
                .addValue("token", old);
        assertThat(template().update(sql().remove, retention)).isEqualTo(1);
        assertThat(sql().look(template(), new MapSqlParameterSource("key", key)))
                .isEmpty();
        database().jdbc().update("delete from distributed_lock where lock_key = '{floor}'");
    }

    @Test
    void theFloorIsTheLargestTokenThatWasEverRemoved() {
        long old = now() - 3 * HOUR;
        put(key, new LockRow("", old, 0, "", 0, "", 0, 0));
        put(key + "-newer", new LockRow("", old + 5, 0, "", 0, "", 0, 0));
        assertThat(UnusedRows.remove(sql(), template(), Duration.ofHours(1))).isGreaterThanOrEqualTo(2);
        assertThat(row(LockSql.FLOOR).token()).isGreaterThanOrEqualTo(old + 5);
        put(LockSql.FLOOR, held("", old + 9, 0));
        put(key, new LockRow("", old, 0, "", 0, "", 0, 0));
        assertThat(UnusedRows.remove(sql(), template(), Duration.ofHours(1))).isEqualTo(1);
        assertThat(row(LockSql.FLOOR).token()).isEqualTo(old + 9);
        database().jdbc().update("delete from distributed_lock where lock_key = '{floor}'");
    }
}
