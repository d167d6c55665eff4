package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class PostgreSqlFenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }

    /** As the cleaner does, weeks later. */
    @Test
    void aTableWhoseRowsCannotBeDeletedIsFoundAtTheStart() {
        database.jdbc().execute("create table lasting (like distributed_lock_fence including all)");
        database.jdbc().execute("grant select, insert, update on lasting to public");
        database.jdbc().execute("drop role if exists keeper");
        database.jdbc().execute("create role keeper login");
        DriverManagerDataSource keeper = new DriverManagerDataSource(database.url(), "keeper", "");
        assertThatIllegalStateException()
                .isThrownBy(new JdbcFence(keeper, new FenceTable("lasting", "lock"), "redis")::verify)
                .withMessageContaining("select, insert, update and delete");
    }

    /** The wait for a row that the outer transaction may have kept is limited, and no other. */
    @ParameterizedTest
    @CsvSource({"0, 0", "100ms, 100ms", "1min, 1min"})
    void theApplicationsStatementsWaitForRowsAsLongAsWithoutTheFence(String set, String expected) {
        LockKey key = unique();
        TransactionTemplate anew = database.transaction();
        anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        database.transaction().executeWithoutResult(status -> {
            fence.advance(exclusive(key, 1));
            status.setRollbackOnly();
            assertThatExceptionOfType(BadSqlGrammarException.class)
                    .isThrownBy(() -> database.jdbc().execute("nonsense"));
            anew.executeWithoutResult(inner -> {
                database.jdbc().execute("set local lock_timeout = '" + set + "'");
                fence.advance(exclusive(key, 1));
                assertThat(database.jdbc().queryForObject("show lock_timeout", String.class))
                        .isEqualTo(expected);
            });
        });
        assertThat(token(key)).isEqualTo(1);
        // Both connections are open again at once.
        anew.executeWithoutResult(one -> anew.executeWithoutResult(
                two -> assertThat(database.jdbc().queryForObject("show lock_timeout", String.class))
                        .isEqualTo("0")));
        assertThat(database.jdbc().queryForObject("show lock_timeout", String.class))
                .isEqualTo("0");
    }

    /** At the start, and if that has been left out, at the call: nothing is written then. */
    @ParameterizedTest
    @CsvSource({
        "missing, ''",
        "other_version, 'create table other_version (lock_key varchar(100) primary key, token bigint)'",
        "read_only, 'create table read_only (like distributed_lock_fence including all)'"
    })
    void aTableThatCannotBeUsedIsNamedAndNothingIsWritten(String table, String create) {
        if (!create.isEmpty()) {
            database.jdbc().execute(create);
            database.jdbc().execute("grant select on " + table + " to public");
        }
        database.jdbc().execute("drop table if exists written");
        database.jdbc().execute("create table written (id int)");
        database.jdbc().execute("grant all on written to public");
        database.jdbc().execute("drop role if exists reader");
        database.jdbc().execute("create role reader login");
        DriverManagerDataSource reader = new DriverManagerDataSource(database.url(), "reader", "");
        JdbcFence fence = new JdbcFence(reader, new FenceTable(table, "lock"), "redis");

        assertThatIllegalStateException()
                .isThrownBy(fence::verify)
                .withMessageContaining("the fence cannot use the table " + table)
                .withMessageContaining("select, insert, update and delete");
        Sequencer sequencer = new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(1));
        assertThatExceptionOfType(BadSqlGrammarException.class)
                .isThrownBy(() -> new TransactionTemplate(new JdbcTransactionManager(reader))
                        .executeWithoutResult(status -> {
                            new JdbcTemplate(reader).update("insert into written values (1)");
                            fence.advance(sequencer);
                        }));
        assertThat(database.jdbc().queryForObject("select count(*) from written", Integer.class))
                .isZero();
    }
}
