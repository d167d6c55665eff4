package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.jdbc.DatabaseCalls.NotSentException;
import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.jdbc.LockRow.Reader;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.Futures;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/** Locks as rows: single tries, and what holders do. Thread-safe. */
final class JdbcLockStore implements TryLockStore {

    /** A writer that waits for readers asks again this soon, which renews its mark. */
    private static final Duration UNTIL_MARKED_AGAIN = Duration.ofSeconds(4);

    /** So much longer that an answer may be late. */
    private static final Duration LONGEST_MARK = Duration.ofSeconds(7);

    private final DatabaseCalls calls;
    private final JdbcKeys keys;
    private final Ticker ticker;
    private final SharedStatement<Optional<LockRow>> takes;
    private final SharedStatement<Boolean> releases;
    private final CompletableFuture<KeyChanges> changes = new CompletableFuture<>();

    JdbcLockStore(DatabaseCalls calls, JdbcKeys keys, Ticker ticker) {
        this.calls = calls;
        this.keys = keys;
        this.ticker = ticker;
        this.takes = new SharedStatement<>(calls, Urgency.TAKE, (sql, database, requests) -> {
            Map<String, LockRow> rows = sql.takeFree(database, requests);
            return requests.stream()
                    .map(each -> Optional.ofNullable(rows.get(LockSql.key(each))))
                    .toList();
        });
        this.releases = new SharedStatement<>(calls, Urgency.KEEP, (sql, database, requests) -> {
            Set<String> released = sql.release(database, requests);
            return requests.stream()
                    .map(each -> released.contains(LockSql.key(each)))
                    .toList();
        });
    }

    /** Whom waiters listen to, once the kind of the database is known. */
    CompletableFuture<KeyChanges> changes() {
        return changes;
    }

    @Override
    public CompletionStage<Result> attempt(LeaseRequest request, boolean again) {
        Duration remaining = request.deadline().remaining();
        Moment since = ticker.now();
        Duration patience = remaining.compareTo(LONGEST_MARK) < 0 ? remaining : LONGEST_MARK;
        MapSqlParameterSource parameters = lock(request.key(), request.owner())
                .addValue("ttl", micros(request.timeToLive()))
                .addValue("patience", micros(patience));
        CompletableFuture<Taken> taken = request.mode() == LockMode.EXCLUSIVE
                ? take(request, parameters)
                : calls.call(Urgency.TAKE, (sql, database) -> join(sql, database, request, parameters));
        CompletableFuture<Result> result =
                taken.handle((answer, failure) -> result(request, again, since, answer, failure));
        result.whenComplete((answer, failure) -> taken.cancel(false));
        return result;
    }

    private static Result result(
            LeaseRequest request, boolean again, Moment since, @Nullable Taken taken, @Nullable Throwable failure) {
        if (taken == null) {
            Throwable why = failure == null ? new IllegalStateException("no answer") : failure;
            return new Result.Failed(Futures.cause(why), mayBeApplied(why));
        } else if (taken.token.isEmpty()) {
            return new Result.Refused(Optional.of(taken.freeIn));
        }
        JdbcLease lease = new JdbcLease(
                request.key(),
                request.mode(),
                request.owner(),
                new FencingToken(taken.token.get()),
                request.renewedTimeToLive(),
                again ? request.timeToLive() : Duration.ZERO);
        return new Result.Granted(new Grant(lease, since));
    }

    /** A token, or how long to wait. */
    private record Taken(Optional<Long> token, Duration freeIn) {}

    /** Together with others; whoever finds the lock held asks once more by himself, within the same time. */
    private CompletableFuture<Taken> take(LeaseRequest request, MapSqlParameterSource parameters) {
        long until = calls.until();
        CompletableFuture<Taken> taken = new CompletableFuture<>();
        follow(takes.call(parameters), taken, row -> {
            if (row.isPresent()) {
                taken.complete(taken(request, row.get()));
                return;
            }
            follow(
                    calls.call(
                            Urgency.TAKE,
                            until,
                            (sql, database) -> sql.take(database, parameters).orElseThrow(Readers::overtaken)),
                    taken,
                    found -> taken.complete(taken(request, found)));
        });
        return taken;
    }

    /** A call that ends with what follows from it, and fails with it. */
    private static <T> void follow(CompletableFuture<T> call, CompletableFuture<?> end, Consumer<T> answered) {
        end.whenComplete((done, failure) -> call.cancel(false));
        call.whenComplete((answer, failure) -> {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else {
                answered.accept(answer);
            }
        });
    }

    private static Taken taken(LeaseRequest request, LockRow row) {
        return row.isHeldBy(request.owner())
                ? new Taken(Optional.of(row.token()), Duration.ZERO)
                : new Taken(Optional.empty(), untilNextTry(row));
    }

    private static Duration untilNextTry(LockRow row) {
        Duration freeIn = row.freeIn(LockMode.EXCLUSIVE);
        boolean readersHoldIt = row.readersUntil() > row.now();
        return readersHoldIt && freeIn.compareTo(UNTIL_MARKED_AGAIN) > 0 ? UNTIL_MARKED_AGAIN : freeIn;
    }

    private Taken join(
            LockSql sql,
            NamedParameterJdbcOperations database,
            LeaseRequest request,
            MapSqlParameterSource parameters) {
        LockRow row = sql.look(database, parameters).orElseGet(() -> {
            sql.insert(database, parameters);
            return sql.look(database, parameters).orElseThrow(Readers::overtaken);
        });
        long expiry = row.now() + micros(request.timeToLive());
        List<Reader> readers = new ArrayList<>(row.current());
        Optional<Reader> mine = readers.stream()
                .filter(each -> each.owner().equals(request.owner()))
                .findFirst();
        if (row.expiresAt() > row.now() || (mine.isEmpty() && row.excludesReaders())) {
            return request.deadline().remaining().compareTo(Duration.ZERO) > 0 && sql.markWaited(database, parameters)
                    ? join(sql, database, request, parameters)
                    : new Taken(Optional.empty(), row.freeIn(LockMode.SHARED));
        }
        long token = mine.map(Reader::token).orElse(Math.max(row.token() + 1, row.now()));
        mine.ifPresent(readers::remove);
        readers.add(mine.map(each -> each.until(expiry)).orElse(new Reader(request.owner(), token, expiry)));
        new Readers(sql, database).replace(row, readers, Math.max(row.token(), token), parameters, false);
        return new Taken(Optional.of(token), Duration.ZERO);
    }

    /** Which of these owners' leases last this long from now on, all of one mode. */
    CompletableFuture<Set<String>> renew(List<JdbcLease> leases, Duration timeToLive) {
        return calls.call(
                Urgency.KEEP,
                (sql, database) -> leases.get(0).mode() == LockMode.EXCLUSIVE
                        ? renewHolders(sql, database, leases, micros(timeToLive))
                        : new Readers(sql, database)
                                .renew(lock(leases.get(0).key(), ""), owners(leases), micros(timeToLive)));
    }

    private static Set<String> owners(Collection<JdbcLease> leases) {
        return leases.stream().map(JdbcLease::owner).collect(Collectors.toSet());
    }

    private Set<String> renewHolders(
            LockSql sql, NamedParameterJdbcOperations database, Collection<JdbcLease> leases, long ttl) {
        MapSqlParameterSource parameters = new MapSqlParameterSource("ttl", ttl)
                .addValue(
                        "keys",
                        leases.stream().map(each -> keys.row(each.key())).toList())
                .addValue("owners", leases.stream().map(JdbcLease::owner).toList())
                .addValue(
                        "tokens",
                        leases.stream().map(each -> each.token().value()).toList());
        if (database.update(sql.renew, parameters) == leases.size()) {
            return owners(leases);
        }
        return new HashSet<>(database.queryForList(sql.renewed, parameters, String.class));
    }

    CompletionStage<Release> release(JdbcLease lease, Duration keepFor) {
        return release(lease.mode(), lease.key(), lease.owner(), lease.token().value(), keepFor);
    }

    private CompletionStage<Release> release(LockMode mode, LockKey key, String owner, long token, Duration keepFor) {
        long keep = Math.max(0, micros(keepFor));
        MapSqlParameterSource lock = lock(key, owner).addValue("token", token).addValue("keep", keep);
        return ended(
                mode == LockMode.EXCLUSIVE
                        ? releases.call(lock)
                        : calls.call(
                                Urgency.KEEP,
                                (sql, database) -> new Readers(sql, database).leave(lock, owner, token, keep)));
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        return withdraw(request.mode(), request.key(), request.owner());
    }

    /** Removes what tries of this owner may have left. */
    CompletionStage<Release> withdraw(LockMode mode, LockKey key, String owner) {
        MapSqlParameterSource lock = lock(key, owner);
        return ended(calls.call(
                Urgency.KEEP,
                (sql, database) -> mode == LockMode.EXCLUSIVE
                        ? sql.free(database, sql.withdraw, lock) > 0
                        : new Readers(sql, database).leave(lock, owner, 0, 0)));
    }

    private static CompletionStage<Release> ended(CompletableFuture<Boolean> found) {
        return found.handle(
                (was, failure) -> failure != null ? Release.UNKNOWN : was ? Release.RELEASED : Release.NOT_OWNER);
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        return changes.thenCompose(those -> those.subscribe(keys.row(key), wake));
    }

    CompletableFuture<Optional<LockRow>> look(String row) {
        return calls.call(Urgency.TAKE, (sql, database) -> sql.look(database, new MapSqlParameterSource("key", row)));
    }

    CompletableFuture<Optional<LockRow>> look(LockKey key) {
        return look(keys.row(key));
    }

    /** By two calls, the second of which compares what the first one has found. */
    CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return look(key)
                .thenCompose(row -> row.flatMap(found -> found.holder(token.value()))
                        .map(holder -> release(
                                row.flatMap(LockRow::mode).orElseThrow(),
                                key,
                                holder.owner(),
                                token.value(),
                                Duration.ZERO))
                        .orElse(CompletableFuture.completedFuture(Release.NOT_OWNER)))
                .exceptionally(unknown -> Release.UNKNOWN);
    }

    private MapSqlParameterSource lock(LockKey key, String owner) {
        return new MapSqlParameterSource("key", keys.row(key)).addValue("owner", owner);
    }

    private static long micros(Duration time) {
        return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
    }

    /** Whether the database may have carried out the statement, or may do so later. */
    private static boolean mayBeApplied(Throwable failure) {
        Throwable cause = Futures.cause(failure);
        return !(cause instanceof NotSentException
                || cause instanceof CannotGetJdbcConnectionException
                || cause instanceof BadSqlGrammarException
                || cause instanceof ConcurrencyFailureException
                || cause instanceof JdbcLockSetupException);
    }
}
