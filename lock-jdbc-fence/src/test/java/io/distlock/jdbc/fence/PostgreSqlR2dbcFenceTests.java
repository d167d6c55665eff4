package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.r2dbc.BadSqlGrammarException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

class PostgreSqlR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }

    /** As the cleaner does, weeks later. */
    @Test
    void aTableWhoseRowsCannotBeDeletedIsFoundAtTheStart() {
        database.jdbc().execute("create table lasting (like distributed_lock_fence including all)");
        database.jdbc().execute("grant select, insert, update on lasting to public");
        database.jdbc().execute("create role reactive_keeper login");
        ConnectionFactory keeper = ConnectionFactories.get(
                database.url().replaceFirst("jdbc:postgresql://", "r2dbc:postgresql://reactive_keeper@"));
        Mono<Void> verified = new R2dbcFence(keeper, new FenceTable("lasting", "lock"), "redis").verify();
        assertThatIllegalStateException()
                .isThrownBy(() -> verified.block(PATIENCE))
                .withMessageContaining("select, insert, update and delete");
    }

    /** See the test of JDBC. */
    @ParameterizedTest
    @CsvSource({"0, 0", "100ms, 100ms", "1min, 1min"})
    void theApplicationsStatementsWaitForRowsAsLongAsWithoutTheFence(String set, String expected) {
        LockKey key = unique();
        Mono<Void> mine = fence.advance(exclusive(key, 1));
        AtomicReference<String> after = new AtomicReference<>();
        Mono<Void> inside = client.sql("set local lock_timeout = '" + set + "'")
                .then()
                .then(mine)
                .then(client.sql("show lock_timeout")
                        .map(row -> String.valueOf(row.get(0, String.class)))
                        .one()
                        .doOnNext(after::set)
                        .then());
        Mono<Void> failing = client.sql("nonsense").then().onErrorComplete(BadSqlGrammarException.class);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> in(mine.then(failing)
                                .then(in(
                                        new DefaultTransactionDefinition(
                                                TransactionDefinition.PROPAGATION_REQUIRES_NEW),
                                        inside))
                                .then(Mono.error(new UnsupportedOperationException())))
                        .block(PATIENCE));
        assertThat(after).hasValue(expected);
        assertThat(token(key)).isEqualTo(1);
    }
}
