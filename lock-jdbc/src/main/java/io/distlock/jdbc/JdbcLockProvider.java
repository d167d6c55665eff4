package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.AcquireLoop;
import io.distlock.support.Futures;
import io.distlock.support.LockRuntime;
import io.distlock.support.WarmUp;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Locks in a table of a SQL database: PostgreSQL, MySQL, MariaDB or H2. One row for each key; neither a connection nor a
 * transaction is held while a lock is.
 *
 * <p>Each statement is a transaction of its own at READ COMMITTED, decides by one row, and compares the owner. Its times come
 * from the database's clock while it runs, as microseconds since 1970: no session's time zone and no daylight saving enters. A
 * request that is repeated by its owner gets the same grant; a token is the larger of the last one plus 1 and the clock. A
 * statement whose answer is lost may be applied nevertheless, or later: its outcome is unknown, and its owner
 * withdraws it for some seconds. A grant counts from before its statement was sent. A statement that loses to another
 * one, in a deadlock or a serialization failure, is repeated within its call's time.
 *
 * <p>Exclusion holds while the database keeps what it has committed and its clock does not jump forward: a
 * fail-over to a replica that lacks the last commits can grant a lock that is held. Tokens keep growing even then, unless the
 * new clock is behind. Thread-safe.
 */
public final class JdbcLockProvider implements LockProvider {

    /** A statement renews so many leases at most, since it has one time limit for all. */
    private static final int BATCH = 1_000;

    private final LockRuntime runtime;
    private final JdbcLockOptions options;
    private final DatabaseCalls calls;
    private final JdbcLockStore store;
    private final AcquireLoop loop;
    private final WarmUp warmUp;
    private final CompletableFuture<Boolean> connected;
    private final UnusedRows unusedRows;

    /**
     * Locks in the database of this data source. Starts to connect, but does not wait: the database may be started later.
     *
     * @param runtime shared by all locks of the process; to be closed after this
     * @param dataSource to be closed after this; of its own, such as {@link JdbcLockConnections}
     * @param options how locks are kept
     */
    public JdbcLockProvider(LockRuntime runtime, DataSource dataSource, JdbcLockOptions options) {
        this.runtime = runtime;
        this.options = options;
        this.calls = new DatabaseCalls(runtime, dataSource, options);
        this.store = new JdbcLockStore(calls, new JdbcKeys(options.keyPrefix()), runtime.ticker());
        this.loop = new AcquireLoop(runtime, store, options.callTimeout());
        this.unusedRows = new UnusedRows(calls, runtime.scheduler());
        this.warmUp = new WarmUp("The database", runtime.scheduler(), this::connect);
        this.connected =
                warmUp.start("spring.datasource.*, and the table " + options.table(), options.connectTimeout());
    }

    private CompletableFuture<?> connect() {
        return calls.call(DatabaseCalls.Urgency.KEEP, (sql, database) -> {
                    new TableCheck(sql, options, calls.dataSource()).check(database);
                    return sql;
                })
                .thenAccept(sql -> {
                    PolledKeys asking = new PolledKeys(runtime, store::look);
                    sql.channel()
                            .ifPresentOrElse(
                                    channel -> listen(channel, asking),
                                    () -> store.changes().complete(asking));
                    unusedRows.start();
                });
    }

    /** Once it can be closed: after that it does not begin. */
    private void listen(String channel, KeyChanges asking) {
        NotifiedKeys listening = new NotifiedKeys(calls, runtime.ticker(), options.callTimeout(), channel, asking);
        store.changes().complete(listening);
        listening.start();
    }

    /**
     * Checks that the table is there and can be used. Waits for the database.
     *
     * @throws JdbcLockSetupException if not; nothing is thrown if the database does not answer
     */
    public void verify() {
        try {
            calls.call(DatabaseCalls.Urgency.KEEP, options.connectTimeout(), (sql, database) -> {
                        new TableCheck(sql, options, calls.dataSource()).check(database);
                        return true;
                    })
                    .join();
        } catch (CompletionException failure) {
            TableCheck.refused(failure).ifPresent(unusable -> {
                throw unusable;
            });
        }
    }

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public Duration callTimeout() {
        return options.callTimeout();
    }

    @Override
    public CompletableFuture<Boolean> connected() {
        return connected;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return loop.acquire(request);
    }

    /** What one statement renews. Readers are renewed by key, since they share its row. */
    private record Batch(Optional<LockKey> readersOf, Duration timeToLive) {

        static Batch of(JdbcLease lease) {
            Optional<LockKey> key = lease.mode() == LockMode.SHARED ? Optional.of(lease.key()) : Optional.empty();
            return new Batch(key, lease.renewedTimeToLive());
        }
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        Map<Batch, List<JdbcLease>> batches = new LinkedHashMap<>();
        for (Lease each : leases) {
            JdbcLease lease = (JdbcLease) each;
            batches.computeIfAbsent(Batch.of(lease), any -> new ArrayList<>()).add(lease);
        }
        batches.values().forEach(batch -> {
            for (int from = 0; from < batch.size(); from += BATCH) {
                List<JdbcLease> part = batch.subList(from, Math.min(from + BATCH, batch.size()));
                extend(part, part.get(0).renewedTimeToLive(), answers);
            }
        });
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        extend(List.of((JdbcLease) lease), timeToLive, answers);
    }

    private void extend(List<JdbcLease> leases, Duration timeToLive, Renewal.Answers answers) {
        store.renew(leases, timeToLive)
                .whenComplete((renewed, failure) -> leases.forEach(lease -> {
                    answers.answer(lease, failure == null ? answer(lease, renewed) : Renewal.UNKNOWN);
                }));
    }

    private static Renewal answer(JdbcLease lease, Set<String> renewed) {
        return renewed.contains(lease.owner()) ? Renewal.RENEWED : Renewal.NOT_OWNER;
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        JdbcLease ours = (JdbcLease) lease;
        CompletionStage<Release> released = store.release(ours, keepFor);
        return ours.afterUnknown().isZero()
                ? released
                : released.thenApply(release -> withdrawEarlierTries(ours, release));
    }

    /** A try cut off before the grant may arrive only now, and take the lock for an owner that is gone. */
    private Release withdrawEarlierTries(JdbcLease lease, Release release) {
        // While it is unknown, the engine asks again.
        if (release != Release.UNKNOWN) {
            runtime.reaper()
                    .reap(
                            "An attempt to take '" + lease.key() + "' as " + lease.owner(),
                            lease.afterUnknown().plus(callTimeout()),
                            () -> store.withdraw(lease.mode(), lease.key(), lease.owner()));
        }
        return release;
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return store.look(sequencer.key())
                .thenApply(row -> row.filter(found -> found.mode().equals(Optional.of(sequencer.mode())))
                        .flatMap(found -> found.holder(sequencer.token().value()))
                        .isPresent());
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return store.look(key).thenApply(row -> row.flatMap(found -> found.status(key)));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return store.forceRelease(key, token);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        long asked = runtime.ticker().nanos();
        return calls.call(DatabaseCalls.Urgency.KEEP, (sql, database) -> {
                    Long clock = database.getJdbcOperations().queryForObject(sql.clock, Long.class);
                    return up(asked, clock == null ? 0 : clock);
                })
                .exceptionally(JdbcLockProvider::down);
    }

    private ProviderStatus up(long asked, long clockMicros) {
        long nanos = runtime.ticker().nanos() - asked;
        long ahead = Duration.of(clockMicros, ChronoUnit.MICROS).toMillis()
                - runtime.ticker().wallMillis();
        return new ProviderStatus(
                ProviderStatus.State.UP,
                Map.<String, Object>of(
                        "database", calls.sql().product(),
                        "table", options.table(),
                        "roundTripMillis", TimeUnit.NANOSECONDS.toMillis(nanos),
                        "clockAheadMillis", ahead));
    }

    private static ProviderStatus down(Throwable failure) {
        return new ProviderStatus(ProviderStatus.State.DOWN, Map.of("error", WarmUp.reason(Futures.cause(failure))));
    }

    /** Ends all waits and the provider's threads; the data source stays open. */
    @Override
    public void close() {
        warmUp.close();
        unusedRows.close();
        loop.close();
        store.changes().thenAccept(KeyChanges::close);
        calls.close();
    }
}
