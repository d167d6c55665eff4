package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Who shares a statement with whom; the statements themselves are imagined. */
class SharedStatementTests {

    private static final int MOST = new PostgreSqlLocks("t").mostTogether();

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final Database database = Database.h2();
    private final DatabaseCalls calls = calls(new Renamed(database, true));

    /** The keys of each statement. */
    private final List<List<String>> statements = new CopyOnWriteArrayList<>();

    /** What the next statements fail with. */
    private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

    private final SharedStatement<String> shared = new SharedStatement<>(calls, Urgency.TAKE, (sql, any, requests) -> {
        List<String> keys = requests.stream().map(LockSql::key).toList();
        statements.add(keys);
        if (!failures.isEmpty()) {
            throw failures.remove(0);
        }
        return keys.stream().map(SharedStatementTests::answer).toList();
    });

    /** What keeps the connections busy. */
    private final CompletableFuture<Void> freed = new CompletableFuture<>();

    /** Of its four connections, two are for requests. */
    private DatabaseCalls calls(DataSource dataSource) {
        return new DatabaseCalls(
                runtime, dataSource, Database.PATIENT.withConnections(4).withCallTimeout(CALL_TIMEOUT));
    }

    @AfterEach
    void close() {
        freed.complete(null);
        calls.close();
        runtime.close();
        database.close();
    }

    private static String answer(String key) {
        return "answer to " + key;
    }

    private CompletableFuture<String> ask(String key) {
        return shared.call(new MapSqlParameterSource("key", key));
    }

    private List<CompletableFuture<String>> askAll(String... keys) {
        return Stream.of(keys).map(this::ask).toList();
    }

    private void occupyConnections() {
        occupyConnection(calls, Urgency.TAKE, freed);
        occupyConnection(calls, Urgency.TAKE, freed);
    }

    private static void occupyConnection(DatabaseCalls calls, Urgency urgency, CompletableFuture<Void> freed) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        calls.call(urgency, Duration.ofHours(1), (sql, any) -> {
            begun.complete(null);
            return freed.join();
        });
        get(begun);
    }

    @Test
    void whoFindsAConnectionWaitsForNobody() {
        assertThat(get(ask("a"))).isEqualTo(answer("a"));
        assertThat(get(ask("b"))).isEqualTo(answer("b"));
        assertThat(statements).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void thoseThatWaitedShareAStatementAndEachGetsItsOwnAnswer() {
        occupyConnections();
        List<CompletableFuture<String>> answers = askAll("a", "b", "c");
        assertThat(statements).isEmpty();
        freed.complete(null);
        assertThat(answers.stream().map(JdbcLockContract::get)).containsExactly(answer("a"), answer("b"), answer("c"));
        assertThat(statements).hasSizeLessThanOrEqualTo(2);
        assertThat(statements.stream().flatMap(List::stream)).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void aStatementHasNoKeyTwice() {
        occupyConnections();
        List<CompletableFuture<String>> answers = askAll("a", "a", "b", "a");
        freed.complete(null);
        assertThat(answers.stream().map(JdbcLockContract::get))
                .containsExactly(answer("a"), answer("a"), answer("b"), answer("a"));
        assertThat(statements).allSatisfy(keys -> assertThat(keys).doesNotHaveDuplicates());
        assertThat(statements.stream().flatMap(List::stream)).containsExactlyInAnyOrder("a", "a", "a", "b");
    }

    @Test
    void noMoreShareItThanTheDatabaseTakesAtATime() {
        occupyConnections();
        List<CompletableFuture<String>> answers =
                IntStream.range(0, 3 * MOST).mapToObj(each -> ask("key" + each)).toList();
        freed.complete(null);
        answers.forEach(JdbcLockContract::get);
        assertThat(statements).allSatisfy(keys -> assertThat(keys).hasSizeLessThanOrEqualTo(MOST));
        assertThat(statements).anySatisfy(keys -> assertThat(keys).hasSize(MOST));
    }

    @Test
    void whoGivesUpWhileItWaitsIsNotSent() {
        occupyConnections();
        List<CompletableFuture<String>> answers = askAll("a", "b", "c");
        answers.get(0).cancel(false);
        answers.get(2).cancel(false);
        freed.complete(null);
        assertThat(get(answers.get(1))).isEqualTo(answer("b"));
        assertThat(get(ask("d"))).isEqualTo(answer("d"));
        assertThat(statements.stream().flatMap(List::stream)).containsExactly("b", "d");
    }

    @Test
    void whoGivesUpWhileItsStatementRunsDoesNotTakeTheOthersAlong() throws InterruptedException {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        SharedStatement<String> slow = new SharedStatement<>(calls, Urgency.KEEP, (sql, any, requests) -> {
            begun.complete(null);
            goOn.join();
            return requests.stream().map(LockSql::key).toList();
        });
        CompletableFuture<Void> kept = new CompletableFuture<>();
        occupyConnection(calls, Urgency.KEEP, kept);
        occupyConnection(calls, Urgency.KEEP, kept);
        CompletableFuture<String> leader = slow.call(new MapSqlParameterSource("key", "a"));
        CompletableFuture<String> other = slow.call(new MapSqlParameterSource("key", "b"));
        kept.complete(null);
        get(begun);
        leader.cancel(false);
        goOn.complete(null);
        assertThat(get(other)).isEqualTo("b");
        assertThatThrownBy(() -> leader.get(1, TimeUnit.MINUTES)).isInstanceOf(CancellationException.class);
    }

    @Test
    void afterADeadlockAllAreAskedAgain() {
        occupyConnections();
        failures.add(new CannotAcquireLockException("deadlock"));
        failures.add(new CannotAcquireLockException("deadlock, once more"));
        List<CompletableFuture<String>> answers = askAll("a", "b", "c");
        freed.complete(null);
        assertThat(answers.stream().map(JdbcLockContract::get)).containsExactly(answer("a"), answer("b"), answer("c"));
        assertThat(failures).isEmpty();
    }

    /** As one that the database's encoding cannot say. */
    @Test
    void whomTheDatabaseRefusesDoesNotTakeTheOthersAlong() {
        SharedStatement<String> strict = new SharedStatement<>(calls, Urgency.TAKE, (sql, any, requests) -> {
            List<String> keys = requests.stream().map(LockSql::key).toList();
            if (keys.contains("bad")) {
                throw new DataIntegrityViolationException("no such character");
            }
            return keys;
        });
        occupyConnections();
        List<CompletableFuture<String>> answers = Stream.of("a", "bad", "b")
                .map(key -> strict.call(new MapSqlParameterSource("key", key)))
                .toList();
        freed.complete(null);
        assertThat(get(answers.get(0))).isEqualTo("a");
        assertThat(get(answers.get(2))).isEqualTo("b");
        assertThatThrownBy(() -> answers.get(1).get(1, TimeUnit.MINUTES))
                .hasCauseInstanceOf(DataIntegrityViolationException.class);
    }

    /** A statement ends within the time of the request that leads it. */
    @Test
    void whoHasMuchTimeDoesNotJoinOneThatHasLittle() {
        occupyConnections();
        CompletableFuture<String> old = ask("old");
        ticker.advance(CALL_TIMEOUT.minusMillis(10));
        List<CompletableFuture<String>> fresh = askAll("new", "newer");
        freed.complete(null);
        get(old.handle((answer, failure) -> answer));
        assertThat(fresh.stream().map(JdbcLockContract::get)).containsExactly(answer("new"), answer("newer"));
        assertThat(statements)
                .filteredOn(keys -> keys.contains("old"))
                .allSatisfy(keys -> assertThat(keys).hasSize(1));
    }

    @Test
    void whoLosesHalfOfItsTimeJoinsAndWhoLosesMoreDoesNot() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        occupyConnection(calls, Urgency.TAKE, never);
        occupyConnection(calls, Urgency.TAKE, freed);
        ask("old");
        ticker.advance(CALL_TIMEOUT.dividedBy(2));
        CompletableFuture<String> half = ask("half");
        freed.complete(null);
        get(half);
        assertThat(statements).containsExactly(List.of("old", "half"));

        CompletableFuture<Void> freedAgain = new CompletableFuture<>();
        occupyConnection(calls, Urgency.TAKE, freedAgain);
        ask("older");
        ticker.advance(CALL_TIMEOUT.dividedBy(2).plusMillis(1));
        CompletableFuture<String> more = ask("more");
        freedAgain.complete(null);
        get(more);
        never.complete(null);
        assertThat(statements).endsWith(List.of("older"), List.of("more"));
    }

    /** What was refused may be refused again, with whoever shares it. */
    @Test
    void whoWasRefusedOnceSharesNoStatementAgain() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        CompletableFuture<String> late = new CompletableFuture<>();
        List<List<String>> sent = new CopyOnWriteArrayList<>();
        AtomicReference<SharedStatement<String>> itself = new AtomicReference<>();
        SharedStatement<String> strict = new SharedStatement<>(calls, Urgency.TAKE, (sql, any, requests) -> {
            List<String> keys = requests.stream().map(LockSql::key).toList();
            sent.add(keys);
            if (sent.size() == 1) {
                // It is there before the others are sent again.
                itself.get().call(new MapSqlParameterSource("key", "late")).thenAccept(late::complete);
                throw new CannotAcquireLockException("deadlock");
            }
            return keys;
        });
        itself.set(strict);
        occupyConnection(calls, Urgency.TAKE, never);
        occupyConnection(calls, Urgency.TAKE, freed);
        List<CompletableFuture<String>> answers = Stream.of("a", "b", "c")
                .map(key -> strict.call(new MapSqlParameterSource("key", key)))
                .toList();
        freed.complete(null);
        assertThat(answers.stream().map(JdbcLockContract::get)).containsExactly("a", "b", "c");
        get(late);
        never.complete(null);
        assertThat(sent.get(0)).containsExactly("a", "b", "c");
        assertThat(sent.subList(1, sent.size()))
                .containsExactlyInAnyOrder(List.of("a"), List.of("b"), List.of("c"), List.of("late"));
    }

    /** A database that shares nothing, and one that does; given up in two ways. */
    @Test
    void whoHasGivenUpLeavesNothing() {
        try (DatabaseCalls single = calls(database.direct())) {
            for (DatabaseCalls each : List.of(single, calls)) {
                CompletableFuture<Void> free = new CompletableFuture<>();
                occupyConnection(each, Urgency.TAKE, free);
                occupyConnection(each, Urgency.TAKE, free);
                SharedStatement<String> any = new SharedStatement<>(
                        each,
                        Urgency.TAKE,
                        (sql, database, requests) ->
                                requests.stream().map(LockSql::key).toList());
                for (int request = 0; request < 100; request++) {
                    CompletableFuture<String> call = any.call(new MapSqlParameterSource("key", "k" + request));
                    if (request % 2 == 0) {
                        call.cancel(false);
                    }
                }
                assertThat(any.waiting()).isEqualTo(50);
                ticker.advance(CALL_TIMEOUT.plusSeconds(1));
                assertThat(any.waiting()).isZero();
                free.complete(null);
            }
        }
    }

    /** One leads another, and is at it when the second connection becomes free. */
    private record UnderWay(CompletableFuture<String> leader, CompletableFuture<String> follower) {}

    private UnderWay underWay(CompletableFuture<Void> second, CompletableFuture<Void> goOn) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        SharedStatement<String> slow = new SharedStatement<>(calls, Urgency.TAKE, (sql, any, requests) -> {
            sent.complete(null);
            goOn.join();
            return requests.stream().map(LockSql::key).toList();
        });
        occupyConnection(calls, Urgency.TAKE, freed);
        occupyConnection(calls, Urgency.TAKE, second);
        UnderWay both = new UnderWay(
                slow.call(new MapSqlParameterSource("key", "a")), slow.call(new MapSqlParameterSource("key", "b")));
        freed.complete(null);
        get(sent);
        return both;
    }

    @Test
    void whoIsInAStatementIsNotTakenForUnsent() {
        CompletableFuture<Void> second = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<@Nullable Throwable> seen = new CompletableFuture<>();
        // The timers are late, as after a pause of the process: the second connection comes before them.
        runtime.scheduler()
                .schedule(
                        () -> {
                            second.complete(null);
                            get(calls.call(Urgency.TAKE, Duration.ofHours(1), (sql, any) -> true));
                        },
                        CALL_TIMEOUT);
        UnderWay both = underWay(second, goOn);
        both.follower().whenComplete((answer, failure) -> seen.complete(failure));
        ticker.advance(CALL_TIMEOUT);
        goOn.complete(null);
        assertThat(get(seen)).isNotInstanceOf(DatabaseCalls.NotSentException.class);
    }

    @Test
    void whoIsInAStatementEndsWithinItsTime() {
        CompletableFuture<Void> second = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        UnderWay both = underWay(second, goOn);
        second.complete(null);
        // By now it has looked at the follower's own turn, in which there is nothing to do.
        get(calls.call(Urgency.TAKE, (sql, any) -> true));
        ticker.advance(CALL_TIMEOUT.plusSeconds(1));
        boolean ended = both.follower().isDone() && both.leader().isDone();
        goOn.complete(null);
        assertThat(ended).isTrue();
    }

    @Test
    void aFailureIsThatOfAllAndOfNobodyElse() {
        occupyConnections();
        RuntimeException failure = new DataAccessResourceFailureException("the connection broke");
        failures.add(failure);
        List<CompletableFuture<String>> answers = askAll("a", "b", "c");
        freed.complete(null);
        List<@Nullable Throwable> seen = answers.stream()
                .map(each -> get(each.handle((answer, why) -> why)))
                .toList();
        List<String> failed = statements.get(0);
        assertThat(IntStream.range(0, 3)
                        .filter(each -> seen.get(each) == failure)
                        .count())
                .isEqualTo(failed.size());
        assertThat(get(ask("d"))).isEqualTo(answer("d"));
    }

    /** Two connections, eight threads, deadlocks: each request is answered once, by a statement that had it. */
    @Test
    void manyThreadsGetEachTheirOwn() throws Exception {
        int threads = 8;
        int each = 500;
        AtomicInteger count = new AtomicInteger();
        Map<String, Integer> applied = new ConcurrentHashMap<>();
        SharedStatement<String> busy = new SharedStatement<>(calls, Urgency.TAKE, (sql, any, requests) -> {
            if (count.incrementAndGet() % 7 == 0) {
                throw new CannotAcquireLockException("deadlock");
            }
            List<String> keys = requests.stream().map(LockSql::key).toList();
            keys.forEach(key -> applied.merge(key, 1, Integer::sum));
            return keys.stream().map(SharedStatementTests::answer).toList();
        });
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            String name = "thread" + thread + "-";
            done.add(callers.submit(() -> IntStream.range(0, each).forEach(item -> {
                String key = name + item;
                assertThat(get(busy.call(new MapSqlParameterSource("key", key))))
                        .isEqualTo(answer(key));
            })));
        }
        for (Future<?> one : done) {
            one.get(2, TimeUnit.MINUTES);
        }
        callers.shutdown();
        assertThat(applied)
                .hasSize(threads * each)
                .allSatisfy((key, times) -> assertThat(times).isEqualTo(1));
    }

    /** Planning afresh saves time only: neither its failure nor that of a pool that shows no driver is the call's. */
    @Test
    void aDatabaseThatCannotPlanAfreshIsUsedAllTheSame() {
        for (boolean showsDriver : List.of(true, false)) {
            try (DatabaseCalls each = calls(new Renamed(database, showsDriver))) {
                // The first one finds out what it is.
                get(each.call(Urgency.TAKE, (sql, statements) -> true));
                Integer last = get(each.call(Urgency.TAKE, (sql, statements) -> {
                    for (int use = 0; use < 600; use++) {
                        selectOne(statements);
                    }
                    return selectOne(statements);
                }));
                assertThat(last).isEqualTo(1);
            }
        }
    }

    private static @Nullable Integer selectOne(NamedParameterJdbcOperations statements) {
        return statements.getJdbcOperations().queryForObject("select 1", Integer.class);
    }

    /** An H2 that passes for a PostgreSQL, whose statements are shared. It knows no plans. */
    private static final class Renamed extends DelegatingDataSource {

        private final boolean showsDriver;

        Renamed(Database database, boolean showsDriver) {
            super(database.direct());
            this.showsDriver = showsDriver;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return proxy(Connection.class, super.getConnection());
        }

        private <T> T proxy(Class<T> type, Object target) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (method.getName().equals("getDatabaseProductName")) {
                            return "PostgreSQL";
                        } else if (method.getName().equals("unwrap") && !showsDriver) {
                            throw new SQLException("a pool that shows no driver");
                        }
                        try {
                            Object answer = method.invoke(target, arguments);
                            return answer instanceof DatabaseMetaData ? proxy(DatabaseMetaData.class, answer) : answer;
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    }));
        }
    }
}
