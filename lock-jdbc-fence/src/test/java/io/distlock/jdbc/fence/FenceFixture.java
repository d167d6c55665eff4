package io.distlock.jdbc.fence;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.TransactionDefinition;

/** A database with a fence's table, and grants to ask the fence about. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FenceFixture {

    static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");

    Database database;

    abstract Database start();

    @BeforeAll
    void open() {
        database = start();
    }

    @AfterAll
    void close() {
        database.close();
    }

    final long token(LockKey key) {
        return number("select token from distributed_lock_fence where lock_key = ?", key);
    }

    final long rows(LockKey key) {
        return number("select count(*) from distributed_lock_fence where lock_key = ?", key);
    }

    private long number(String sql, LockKey key) {
        Long number = database.jdbc().queryForObject(sql, Long.class, TABLE.key(key));
        return number == null ? 0 : number;
    }

    /** A test for each isolation level. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    @interface IsolationTest {}

    static LockKey unique() {
        return LockKey.of("orders", UUID.randomUUID().toString());
    }

    static Sequencer exclusive(LockKey key, long token) {
        return new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(token));
    }

    static Sequencer shared(LockKey key, long token) {
        return new Sequencer(key, LockMode.SHARED, new FencingToken(token));
    }
}
