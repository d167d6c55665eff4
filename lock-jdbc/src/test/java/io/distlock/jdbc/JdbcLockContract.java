package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;

/** What the provider does with its rows, in each database. */
abstract class JdbcLockContract extends SessionTimeZoneContract {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private LockRuntime runtime;
    JdbcLockConnections connections;
    JdbcLockProvider provider;

    @BeforeEach
    void open() {
        runtime = LockRuntime.start();
        connections = database().connections(Database.PATIENT);
        provider = new JdbcLockProvider(runtime, connections, Database.PATIENT);
    }

    @AfterEach
    void close() {
        provider.close();
        connections.close();
        runtime.close();
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException failure) {
            throw new AssertionError(failure);
        }
    }

    private LeaseRequest request(LockKey key, LockMode mode, String owner, LockOptions options) {
        return new LeaseRequest(key, mode, owner, options, Deadline.in(Duration.ZERO, runtime.ticker()));
    }

    private Optional<Grant> ask(LockKey key, LockMode mode, String owner) {
        return get(provider.acquire(request(key, mode, owner, LockOptions.defaults())));
    }

    private Grant take(LockKey key) {
        return ask(key, LockMode.EXCLUSIVE, UUID.randomUUID().toString()).orElseThrow();
    }

    static LockKey unique() {
        return LockKey.of(UUID.randomUUID().toString());
    }

    @Test
    void keysThatDifferInCaseOrAccentsOrSpacesOrAtTheEndOfTheLongestAreDifferentLocks() {
        String salt = UUID.randomUUID().toString();
        String longest = "x".repeat(512 - salt.length() - 1) + salt;
        List<LockKey> keys = List.of(
                LockKey.of(salt, "a"),
                LockKey.of(salt, "A"),
                LockKey.of(salt, "ä"),
                LockKey.of(salt, "a "),
                LockKey.of(salt, "ß"),
                LockKey.of(salt, "ss"),
                LockKey.of(salt, "𝄞"),
                LockKey.of(salt, "'; drop table distributed_lock; --"),
                LockKey.of(longest + "a"),
                LockKey.of(longest + "b"),
                LockKey.of(longest + "a", "𝄞".repeat(128)),
                LockKey.of(longest + "a", "%".repeat(512)));
        List<Grant> grants = keys.stream().map(this::take).toList();
        assertThat(grants).hasSameSizeAs(keys);
        grants.forEach(grant ->
                assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED));
    }

    @Test
    void aTableThatFoldsCaseIsRefused() {
        String folding = "folding";
        JdbcTemplate jdbc = database().jdbc();
        String column = foldingColumn();
        if (column.isEmpty()) {
            // PostgreSQL's usual collations do not fold; a non-deterministic one must be created.
            jdbc.execute("create collation if not exists nocase"
                    + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            column = "varchar(512) collate nocase";
        }
        jdbc.execute("create table " + folding + " (lock_key " + column + " not null primary key, owner varchar(255),"
                + " token bigint, expires_at bigint, readers varchar(1000), readers_until bigint, writer varchar(255),"
                + " writer_until bigint, waited boolean default false)");
        JdbcLockOptions options = Database.PATIENT.withTable(folding);
        try (JdbcLockProvider misled = new JdbcLockProvider(runtime, connections, options)) {
            assertThatThrownBy(misled::verify)
                    .isInstanceOf(JdbcLockSetupException.class)
                    .hasMessageContaining("upper case for lower case");
        }
    }

    /** The type of a column that takes A for a; empty if a collation must be made for it. */
    abstract String foldingColumn();

    /** As when its process is killed: what it has not committed goes with its connection. */
    @Test
    void aCheckThatIsCutOffLeavesNothing() {
        LockSql sql = database().sql();
        NamedParameterJdbcTemplate dying = new NamedParameterJdbcTemplate(connections) {

            @Override
            public <T> List<T> query(String statement, SqlParameterSource parameters, RowMapper<T> rows) {
                dieAt(statement);
                return super.query(statement, parameters, rows);
            }

            @Override
            public int update(String statement, SqlParameterSource parameters) {
                dieAt(statement);
                return super.update(statement, parameters);
            }

            private void dieAt(String statement) {
                if (statement.contains(sql.withdraw)) {
                    throw new IllegalStateException("killed");
                }
            }
        };
        assertThatThrownBy(() -> new TableCheck(sql, Database.PATIENT, connections).check(dying))
                .hasMessage("killed");
        assertThat(rowsOfChecks()).isZero();
    }

    private long rowsOfChecks() {
        Long rows = database()
                .jdbc()
                .queryForObject("select count(*) from distributed_lock where lock_key like '{check}%'", Long.class);
        return rows == null ? 0 : rows;
    }

    @Test
    void theCheckLeavesNothing() {
        assertThat(get(provider.connected())).isTrue();
        provider.verify();
        assertThat(rowsOfChecks()).isZero();
    }

    @Test
    void unusedRowsGoAndNoTokenComesAgainEvenIfTheClockWasSetBack() {
        LockKey key = unique();
        Grant first = take(key);
        get(provider.release(first.lease(), Duration.ZERO));
        LockKey kept = unique();
        Grant held = take(kept);
        String row = Database.KEYS.row(key);
        NamedParameterJdbcTemplate template = new NamedParameterJdbcTemplate(connections);
        assertThat(UnusedRows.remove(database().sql(), template, Duration.ZERO)).isPositive();
        assertThat(database().jdbc().queryForList("select lock_key from distributed_lock", String.class))
                .doesNotContain(row)
                .contains(Database.KEYS.row(kept), LockSql.FLOOR);
        Long floor = database()
                .jdbc()
                .queryForObject("select token from distributed_lock where lock_key = '{floor}'", Long.class);
        assertThat(floor).isGreaterThanOrEqualTo(first.lease().token().value());
        // As if the clock had run an hour ahead before.
        long ahead = floor + Duration.ofHours(1).toNanos() / 1_000;
        database().jdbc().update("update distributed_lock set token = ? where lock_key = '{floor}'", ahead);
        assertThat(take(key).lease().token().value()).isGreaterThan(ahead);
        assertThat(get(provider.release(held.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        database().jdbc().update("delete from distributed_lock");
    }

    @Test
    void tokensGrowThoughTheClockWasSetBack() {
        for (LockMode mode : LockMode.values()) {
            LockKey key = unique();
            Grant first = ask(key, mode, "first").orElseThrow();
            get(provider.release(first.lease(), Duration.ZERO));
            long ahead = first.lease().token().value() + Duration.ofHours(1).toNanos() / 1_000;
            database()
                    .jdbc()
                    .update("update distributed_lock set token = ? where lock_key = ?", ahead, Database.KEYS.row(key));
            assertThat(ask(key, mode, "next").orElseThrow().lease().token().value())
                    .as("in mode %s", mode)
                    .isEqualTo(ahead + 1);
        }
    }

    /** Or the row would grow with each of them. */
    @Test
    void nothingStaysOfReadersThatHaveLeftAndOneThatAsksAgainIsThereOnce() {
        LockKey key = unique();
        for (int number = 0; number < 3; number++) {
            Grant left = ask(key, LockMode.SHARED, "reader-" + number).orElseThrow();
            assertThat(get(provider.release(left.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        }
        assertThat(ask(key, LockMode.SHARED, "again")).isPresent();
        assertThat(ask(key, LockMode.SHARED, "again")).isPresent();
        assertThat(database()
                        .jdbc()
                        .queryForObject(
                                "select readers from distributed_lock where lock_key = ?",
                                String.class,
                                Database.KEYS.row(key)))
                .matches("again:\\d+:\\d+");
    }

    @Test
    void anExpiredOwnerThatAsksAgainIsNotLetInPastReaders() {
        LockKey key = unique();
        take(key);
        Grant reader = expire(key, "one")
                .flatMap(none -> ask(key, LockMode.SHARED, "reader"))
                .orElseThrow();
        assertThat(ask(key, LockMode.EXCLUSIVE, "one")).isEmpty();
        assertThat(get(provider.release(reader.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertThat(ask(key, LockMode.EXCLUSIVE, "one")).isPresent();
    }

    private Optional<Integer> expire(LockKey key, String owner) {
        return Optional.of(database()
                .jdbc()
                .update(
                        "update distributed_lock set owner = ?, expires_at = 1 where lock_key = ?",
                        owner,
                        Database.KEYS.row(key)));
    }

    /** A request of that holder may have begun before, and still wait for the row. */
    @Test
    void aReaderLeavesNothingOfAHolderWhoseLeaseIsOver() {
        LockKey key = unique();
        expire(key, take(key).lease().owner());
        assertThat(ask(key, LockMode.SHARED, "reader")).isPresent();
        assertThat(database()
                        .jdbc()
                        .queryForObject(
                                "select owner from distributed_lock where lock_key = ?",
                                String.class,
                                Database.KEYS.row(key)))
                .isEmpty();
    }

    @Test
    void manyLeasesAreRenewedByTheirOwnersOnly() {
        List<Lease> leases = new ArrayList<>();
        for (int number = 0; number < 40; number++) {
            leases.add(take(unique()).lease());
        }
        Lease lost = leases.get(7);
        expire(lost.key(), "another");
        List<Renewal> answers = new ArrayList<>();
        CompletableFuture<Void> all = new CompletableFuture<>();
        provider.renew(leases, (lease, renewal) -> {
            synchronized (answers) {
                assertThat(renewal).isEqualTo(lease.equals(lost) ? Renewal.NOT_OWNER : Renewal.RENEWED);
                answers.add(renewal);
                if (answers.size() == leases.size()) {
                    all.complete(null);
                }
            }
        });
        get(all);
    }

    @Test
    void manyReadersAndWritersOfOneKeyGetAndLeaveIt() {
        LockKey key = unique();
        List<CompletableFuture<Release>> all = new ArrayList<>();
        for (int number = 0; number < 24; number++) {
            LockMode mode = number % 4 == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
            LeaseRequest request = new LeaseRequest(
                    key,
                    mode,
                    "owner-" + number,
                    LockOptions.defaults(),
                    Deadline.in(Duration.ofMinutes(2), runtime.ticker()));
            all.add(provider.acquire(request)
                    .thenCompose(grant -> provider.release(grant.orElseThrow().lease(), Duration.ZERO)));
        }
        all.forEach(each -> {
            try {
                assertThat(each.get(3, TimeUnit.MINUTES)).isEqualTo(Release.RELEASED);
            } catch (InterruptedException | ExecutionException | TimeoutException failure) {
                throw new AssertionError(failure);
            }
        });
        assertThat(get(provider.inspect(key))).isEmpty();
    }

    /** Their waits differ: the mark of the patient one keeps later readers out for both. */
    @Test
    void aWriterWithLittlePatienceDoesNotShortenTheMarkOfAnother() {
        LockKey key = unique();
        Grant reader = ask(key, LockMode.SHARED, "reader").orElseThrow();
        CompletableFuture<Optional<Grant>> patient = provider.acquire(waiting(key, "patient", Duration.ofMinutes(5)));
        await().atMost(PATIENCE).until(() -> writer(key).equals("patient"));
        long mark = mark(key);
        assertThat(get(provider.acquire(waiting(key, "hasty", Duration.ofMillis(200)))))
                .isEmpty();
        assertThat(writer(key)).isEqualTo("patient");
        assertThat(mark(key)).isGreaterThanOrEqualTo(mark);
        assertThat(ask(key, LockMode.SHARED, "late reader")).isEmpty();
        assertThat(get(provider.release(reader.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertThat(get(patient)).isPresent();
    }

    private LeaseRequest waiting(LockKey key, String owner, Duration waitTime) {
        return new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                owner,
                LockOptions.defaults().withWaitTime(waitTime),
                Deadline.in(waitTime, runtime.ticker()));
    }

    private String writer(LockKey key) {
        return String.valueOf(database()
                .jdbc()
                .queryForObject(
                        "select writer from distributed_lock where lock_key = ?",
                        String.class,
                        Database.KEYS.row(key)));
    }

    private long mark(LockKey key) {
        Long until = database()
                .jdbc()
                .queryForObject(
                        "select writer_until from distributed_lock where lock_key = ?",
                        Long.class,
                        Database.KEYS.row(key));
        return until == null ? 0 : until;
    }

    /** Somebody has changed the row by hand, or a message was lost. */
    @Test
    void aReleaseThatNobodyAnnouncedIsFoundWithinSeconds() {
        LockKey key = unique();
        take(key);
        CompletableFuture<Optional<Grant>> waiter = provider.acquire(waiting(key, "waiter", Duration.ofMinutes(5)));
        expire(key, "");
        assertThat(get(waiter)).isPresent();
    }
}
