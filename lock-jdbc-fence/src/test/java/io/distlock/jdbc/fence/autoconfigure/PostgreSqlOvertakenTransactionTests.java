package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.jdbc.fence.Database;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.BadSqlGrammarException;

class PostgreSqlOvertakenTransactionTests extends OvertakenTransactionContract {

    @Override
    Database start() {
        return Database.postgresql();
    }

    @Override
    String lockTimeout() {
        return "set lock_timeout = '5s'";
    }

    /** The database has rolled the transaction back, and freed its row. */
    @Test
    void aNewTransactionInsideOneThatHasFailedIsFencedByItself() {
        locks.lock("stock")
                .run(() -> transaction().executeWithoutResult(status -> {
                    status.setRollbackOnly();
                    assertThatExceptionOfType(BadSqlGrammarException.class).isThrownBy(() -> jdbc.execute("nonsense"));
                    anew().executeWithoutResult(inner -> jdbc.update("update stock set pieces = pieces - 10"));
                    sellNext();
                    assertStale(() -> anew().executeWithoutResult(inner -> jdbc.update("update stock set pieces = 0")));
                }));
        assertThat(pieces()).isEqualTo(PIECES - 11);
    }
}
