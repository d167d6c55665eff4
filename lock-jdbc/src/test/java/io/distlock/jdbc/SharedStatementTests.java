package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import io.distlock.support.LockRuntime;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Who shares a statement with whom; the statements themselves are imagined. */
class SharedStatementTests {

    private static final int MOST = new PostgreSqlLocks("t").mostTogether();

    private final LockRuntime runtime = LockRuntime.start();
    private final Database database = Database.h2();
    private final DatabaseCalls calls = new DatabaseCalls(
            runtime, new Renamed(database), Database.PATIENT.withConnections(4).withCallTimeout(Duration.ofMinutes(1)));

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

    /** Of the two for requests, both. */
    private void occupyConnections() {
        List<CompletableFuture<Void>> begun = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        begun.forEach(each -> calls.call(Urgency.TAKE, (sql, any) -> {
            each.complete(null);
            return freed.join();
        }));
        begun.forEach(JdbcLockContract::get);
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
        List<CompletableFuture<Void>> busy = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        busy.forEach(each -> calls.call(Urgency.KEEP, (sql, any) -> {
            each.complete(null);
            return kept.join();
        }));
        busy.forEach(JdbcLockContract::get);
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

    /** An H2 that passes for a PostgreSQL, whose statements are shared. */
    private static final class Renamed extends DelegatingDataSource {

        Renamed(Database database) {
            super(database.direct());
        }

        @Override
        public Connection getConnection() throws SQLException {
            return proxy(Connection.class, super.getConnection());
        }

        private static <T> T proxy(Class<T> type, Object target) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (method.getName().equals("getDatabaseProductName")) {
                            return "PostgreSQL";
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
