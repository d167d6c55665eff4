package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.IsolationLevel;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;
import reactor.util.function.Tuples;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceCleanerTests {

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");

    /**
     * A database, and an expression for a time some seconds ago.
     *
     * @param name for the test's name
     * @param reactive whether it is cleaned over R2DBC
     */
    private record On(String name, Database database, String ago, boolean reactive) {

        On overR2dbc() {
            return new On(name + " over R2DBC", database, ago, true);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final List<On> databases = Stream.of(
                    new On("H2", Database.h2(), "timestampadd(second, -%d, current_timestamp)", false),
                    new On("PostgreSQL", Database.postgresql(), "current_timestamp - interval '%d seconds'", false),
                    new On("MariaDB", Database.mariadb(), "utc_timestamp(6) - interval %d second", false))
            .flatMap(on -> Stream.of(on, on.overR2dbc()))
            .toList();

    List<On> databases() {
        return databases;
    }

    @BeforeEach
    void empty() {
        databases.forEach(on -> on.database.jdbc().update("delete from distributed_lock_fence"));
    }

    @AfterAll
    void end() {
        databases.forEach(on -> on.database.close());
    }

    @ParameterizedTest
    @MethodSource("databases")
    void unusedRowsGoOnceTheFloorHasSettledAndStayRefused(On on) {
        advance(on, "old", 5);
        advance(on, "older", 3);
        age(on, row("old"), Duration.ofDays(8));
        age(on, row("older"), Duration.ofDays(9));
        advance(on, "used", 4);

        assertThat(clean(on)).isZero();
        assertThat(rows(on)).isEqualTo(4);
        assertThat(clean(on)).isZero();
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        assertThat(clean(on)).isEqualTo(2);

        assertThat(rows(on)).isEqualTo(2);
        assertStale(on, "old", 5);
        assertStale(on, "never seen", 2);
        advance(on, "old", 6);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void severalCleanersInTurnDoNotKeepTheFloorFromSettling(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), Duration.ofMinutes(20));
        advance(on, "younger", 6);
        age(on, row("younger"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        assertThat(clean(on)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aHolderBelowTheFloorStaysRefusedInTheSameTransaction(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        on.database.transaction().executeWithoutResult(status -> {
            for (int tries = 0; tries < 2; tries++) {
                assertThatExceptionOfType(StaleFencingTokenException.class)
                        .isThrownBy(() -> fence(on).advance(sequencer("new", 4)));
            }
        });
        assertStale(on, "new", 4);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowThatWasUsedMeanwhileStays(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        advance(on, "old", 6);
        assertThat(clean(on)).isZero();
        assertStale(on, "old", 5);
    }

    /** As by one holder for long, which has no later token. */
    @ParameterizedTest
    @MethodSource("databases")
    void aRowThatIsUsedAgainWithItsTokenStays(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        advance(on, "old", 5);
        assertThat(clean(on)).isZero();
        assertThat(rows(on)).isEqualTo(1);
        advance(on, "old", 5);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowThatIsUsedSinceTheCleanerHasLookedStays(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        NamedParameterJdbcTemplate jdbc = new NamedParameterJdbcTemplate(on.database.dataSource());
        FenceCleaner.Statements used = new FenceCleaner.Statements() {
            @Override
            public <T> List<T> query(String sql, Map<String, Object> parameters, Class<T> type) {
                return jdbc.queryForList(sql, parameters, type);
            }

            @Override
            public int update(String sql, Map<String, Object> parameters) {
                advance(on, "old", 6);
                return jdbc.update(sql, parameters);
            }
        };
        assertThat(new FenceCleaner(used, FenceSql.of(on.database.dataSource()), TABLE, RETENTION).clean())
                .isZero();
        assertThat(rows(on)).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowStaysForTheWholeRetention(On on) {
        advance(on, "old", 5);
        advance(on, "young", 6);
        age(on, row("old"), Duration.ofDays(8));
        age(on, row("young"), RETENTION.minusHours(1));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        assertThat(clean(on)).isEqualTo(1);
        assertThat(rows(on)).isEqualTo(2);
        advance(on, "young", 6);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aFloorCountsOnlyOnceItHasSettled(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING.minusMinutes(1));
        assertThat(clean(on)).isZero();
        assertThat(rows(on)).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void rowsOfAnotherProviderHaveTheirOwnFloor(On on) {
        advance(on, "old", 5);
        on.database.transaction().executeWithoutResult(status -> fence(on).advance("etcd", sequencer("other", 2)));
        age(on, row("old"), Duration.ofDays(8));
        age(on, row("other"), Duration.ofDays(8));
        clean(on);
        age(on, FenceTable.floorOf("redis:lock"), FenceCleaner.SETTLING);
        assertThat(clean(on)).isEqualTo(1);
        assertThat(on.database
                        .jdbc()
                        .queryForList(
                                "select token from distributed_lock_fence where provider = 'etcd:lock'", Long.class))
                .containsExactly(2L, 2L);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theRowsOfAllProvidersAreCounted(On on) {
        advance(on, "old", 5);
        advance(on, "older", 4);
        on.database.transaction().executeWithoutResult(status -> fence(on).advance("etcd", sequencer("other", 2)));
        everythingUnused(on);
        clean(on);
        everythingUnused(on);
        assertThat(clean(on)).isEqualTo(3);
    }

    /** It is all that is known of the rows that went. */
    @ParameterizedTest
    @MethodSource("databases")
    void aFloorStaysHoweverLongItHasNotChanged(On on) {
        advance(on, "old", 5);
        for (int run = 0; run < 4; run++) {
            everythingUnused(on);
            assertThat(clean(on)).isEqualTo(run == 1 ? 1 : 0);
        }
        assertStale(on, "old", 5);
        assertThat(rows(on)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void anUnusedFloorIsNotRemovedWithTheRowsBelowIt(On on) {
        advance(on, "old", 5);
        everythingUnused(on);
        clean(on);
        everythingUnused(on);
        List<String> removed = new ArrayList<>();
        NamedParameterJdbcTemplate jdbc = new NamedParameterJdbcTemplate(on.database.dataSource());
        FenceCleaner.Statements noting = new FenceCleaner.Statements() {
            @Override
            public <T> List<T> query(String sql, Map<String, Object> parameters, Class<T> type) {
                return jdbc.queryForList(sql, parameters, type);
            }

            @Override
            public int update(String sql, Map<String, Object> parameters) {
                removed.add(String.valueOf(parameters.get("key")));
                return jdbc.update(sql, parameters);
            }
        };
        new FenceCleaner(noting, FenceSql.of(on.database.dataSource()), TABLE, RETENTION).clean();
        assertThat(removed).containsExactly(row("old"));
    }

    /** Who catches the refusal may still commit. */
    @ParameterizedTest
    @MethodSource("databases")
    void aHolderBelowTheFloorLeavesTheRowOfALaterOneOrOfAnotherProviderAsItWas(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        advance(on, "later", 9);
        on.database.transaction().executeWithoutResult(status -> fence(on).advance("etcd", sequencer("other", 4)));
        on.database
                .transaction()
                .executeWithoutResult(status -> assertThatExceptionOfType(StaleFencingTokenException.class)
                        .isThrownBy(() -> fence(on).advance(sequencer("later", 4))));
        on.database
                .transaction()
                .executeWithoutResult(status -> assertThatIllegalStateException()
                        .isThrownBy(() -> fence(on).advance(sequencer("other", 4))));
        assertStale(on, "later", 8);
        assertThat(on.database
                        .jdbc()
                        .queryForList(
                                "select token from distributed_lock_fence where lock_key = ?",
                                Long.class,
                                row("other")))
                .containsExactly(4L);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aReactiveHolderBelowTheFloorStaysRefusedInTheSameTransactionAndLeavesNothing(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        ConnectionFactory connections = on.database.connections();
        R2dbcFence fence = new R2dbcFence(connections, TABLE, "redis");
        TransactionalOperator transaction = TransactionalOperator.create(new R2dbcTransactionManager(connections));
        Mono<Boolean> refused = fence.advance(sequencer("new", 4))
                .thenReturn(false)
                .onErrorReturn(StaleFencingTokenException.class, true);
        assertThat(transaction.transactional(refused.zipWhen(first -> refused)).block(Duration.ofSeconds(30)))
                .isEqualTo(Tuples.of(true, true));
        assertThat(rows(on)).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theFloorIsThatOfTheRowsOwnProvider(On on) {
        advance(on, "old", 5);
        age(on, row("old"), Duration.ofDays(8));
        clean(on);
        on.database
                .transaction()
                .executeWithoutResult(status -> fence(on)
                        .advance("etcd", new Sequencer(LockKey.of("new"), LockMode.EXCLUSIVE, new FencingToken(2))));
        assertThat(rows(on)).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aTableThatIsUsedForManyKeysStaysSmall(On on) {
        // More than one batch, where a row takes microseconds. Over R2DBC, each opens a connection.
        int perDay = on.reactive ? 10 : on.name.startsWith("H2") ? 600 : 50;
        for (int day = 1; day <= 5; day++) {
            int today = day * perDay;
            JdbcFence fence = fence(on);
            on.database.transaction().executeWithoutResult(status -> {
                for (int i = 0; i < perDay; i++) {
                    fence.advance(sequencer("key" + (today + i), today + i));
                }
            });
            everythingUnused(on);
            clean(on);
        }
        assertThat(rows(on)).isEqualTo(perDay + 1);
    }

    /** A stricter one locks the places between the rows as well, and holds up new locks. */
    @Test
    void theCleanersStatementsAreAtReadCommittedWhateverTheConnectionsAre() {
        On h2 = databases.get(0);
        advance(h2, "old", 5);
        everythingUnused(h2);
        List<Integer> levels = new ArrayList<>();
        DataSource strict = new DelegatingDataSource(h2.database.dataSource()) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")) {
                                levels.add(connection.getTransactionIsolation());
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
        new FenceCleaner(strict, TABLE, RETENTION).clean();
        assertThat(levels).isNotEmpty().containsOnly(Connection.TRANSACTION_READ_COMMITTED);

        CountedConnections connections = (CountedConnections) h2.database.connections();
        new R2dbcFence(connections, TABLE, "redis").cleaner(RETENTION).clean();
        assertThat(connections.isolations()).isNotEmpty().containsOnly(Optional.of(IsolationLevel.READ_COMMITTED));
    }

    private static int clean(On on) {
        FenceCleaner cleaner = on.reactive
                ? new R2dbcFence(on.database.connections(), TABLE, "redis").cleaner(RETENTION)
                : new FenceCleaner(on.database.dataSource(), TABLE, RETENTION);
        return cleaner.clean();
    }

    private static void advance(On on, String name, long token) {
        on.database.transaction().executeWithoutResult(status -> fence(on).advance(sequencer(name, token)));
    }

    private static void assertStale(On on, String name, long token) {
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> advance(on, name, token));
    }

    private static JdbcFence fence(On on) {
        return new JdbcFence(on.database.dataSource(), TABLE, "redis");
    }

    private static Sequencer sequencer(String name, long token) {
        return new Sequencer(LockKey.of(name), LockMode.EXCLUSIVE, new FencingToken(token));
    }

    private static String row(String name) {
        return TABLE.key(LockKey.of(name));
    }

    private static void age(On on, String row, Duration age) {
        int changed = on.database
                .jdbc()
                .update("update distributed_lock_fence set updated_at = " + ago(on, age) + " where lock_key = ?", row);
        assertThat(changed).isEqualTo(1);
    }

    private static void everythingUnused(On on) {
        on.database.jdbc().update("update distributed_lock_fence set updated_at = " + ago(on, Duration.ofDays(8)));
    }

    private static String ago(On on, Duration age) {
        return on.ago.formatted(age.plusSeconds(1).toSeconds());
    }

    private static long rows(On on) {
        Long rows = on.database.jdbc().queryForObject("select count(*) from distributed_lock_fence", Long.class);
        return rows == null ? 0 : rows;
    }
}
