package io.distlock.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2LockTests extends JdbcLockContract {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.h2();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    Database database() {
        return database;
    }

    @Override
    String foldingColumn() {
        return "varchar_ignorecase(512)";
    }

    @Override
    long inAnotherZone() {
        return clockAfter("set time zone 'Asia/Kolkata'");
    }
}
