package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A lock's row at one moment. Times are microseconds since 1970 by the database's clock.
 *
 * @param owner the exclusive holder; empty if there is none
 * @param token the newest token of this key
 * @param readers the readers, as {@link Reader#text} joins them
 * @param readersUntil when the last of the readers expires
 * @param writer a writer that waits for the readers and lets no further ones pass; empty if there is none
 * @param now when the row was read
 */
record LockRow(
        String owner,
        long token,
        long expiresAt,
        String readers,
        long readersUntil,
        String writer,
        long writerUntil,
        long now) {

    static final String COLUMNS = "owner, token, expires_at, readers, readers_until, writer, writer_until";

    /** Where a query for several keys names each, after the columns and the clock. */
    static final int KEY_COLUMN = 9;

    /** Marks an owner that has released its lock, whose minimum hold time is not over. No owner contains a slash. */
    static final String KEPT = "/kept";

    /** One reader: {@code owner:token:expiry}. */
    record Reader(String owner, long token, long expiresAt) {

        static List<Reader> parse(String text) {
            List<Reader> readers = new ArrayList<>();
            for (String each : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
                String[] parts = each.split(":", -1);
                readers.add(new Reader(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])));
            }
            return readers;
        }

        static String text(List<Reader> readers) {
            return readers.stream()
                    .map(each -> each.owner + ':' + each.token + ':' + each.expiresAt)
                    .collect(Collectors.joining(" "));
        }

        Reader until(long expiry) {
            return new Reader(owner, token, Math.max(expiresAt, expiry));
        }
    }

    static LockRow of(ResultSet columns, int number) throws SQLException {
        return new LockRow(
                columns.getString(1),
                columns.getLong(2),
                columns.getLong(3),
                columns.getString(4),
                columns.getLong(5),
                columns.getString(6),
                columns.getLong(7),
                columns.getLong(8));
    }

    boolean isHeldBy(String who) {
        return owner.equals(who) && expiresAt > now;
    }

    /** Whether readers may not pass, for whichever reason. */
    boolean excludesReaders() {
        return expiresAt > now || writerUntil > now;
    }

    /** The readers that have not expired. */
    List<Reader> current() {
        return Reader.parse(readers).stream()
                .filter(each -> each.expiresAt > now)
                .toList();
    }

    /** When the store frees it for this mode unless somebody renews. */
    Duration freeIn(LockMode mode) {
        long until = Math.max(expiresAt, mode == LockMode.SHARED ? writerUntil : readersUntil);
        return Duration.of(Math.max(0, until - now), ChronoUnit.MICROS);
    }

    /** When something here expires next, if anything does: a holder, the last reader, or a writer's mark. */
    Optional<Duration> nextExpiry() {
        return LongStream.of(expiresAt, readersUntil, writerUntil)
                .filter(each -> each > now)
                .mapToObj(each -> Duration.of(each - now, ChronoUnit.MICROS))
                .min(Comparator.naturalOrder());
    }

    /** What changes if a waiter may have better luck; renewals change nothing in it. */
    record News(String owner, long token, boolean held, boolean writerWaits, List<String> readers) {

        /** There is no row. */
        static final News NONE = new News("", 0, false, false, List.of());
    }

    News news() {
        return new News(
                owner,
                token,
                expiresAt > now,
                writerUntil > now,
                current().stream().map(Reader::owner).toList());
    }

    /** A holder with this token that has not released the lock. */
    Optional<Reader> holder(long wanted) {
        return holders(who -> who.token == wanted && !who.owner.endsWith(KEPT)).findFirst();
    }

    Optional<LockMode> mode() {
        if (expiresAt > now) {
            return Optional.of(LockMode.EXCLUSIVE);
        }
        return current().isEmpty() ? Optional.empty() : Optional.of(LockMode.SHARED);
    }

    Optional<LockStatus> status(LockKey key) {
        return mode().map(mode -> new LockStatus(
                key, mode, holders(any -> true).map(this::describe).toList(), Optional.empty()));
    }

    private Stream<Reader> holders(Predicate<Reader> wanted) {
        List<Reader> all = expiresAt > now ? List.of(new Reader(owner, token, expiresAt)) : current();
        return all.stream().filter(wanted);
    }

    private LockStatus.Holder describe(Reader holder) {
        String who = holder.owner;
        return new LockStatus.Holder(
                who.endsWith(KEPT) ? "kept" : who,
                Optional.of(new FencingToken(holder.token)),
                Optional.of(Duration.of(holder.expiresAt - now, ChronoUnit.MICROS)));
    }
}
