package io.distlock.jdbc;

import java.time.Instant;
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
    String inKolkata() {
        return "set time zone 'Asia/Kolkata'";
    }

    @Override
    long clockInBerlin(Instant time) {
        String clock = database.sql().clock.replace("current_timestamp", "timestamp with time zone '" + time + "'");
        return clockAfter("set time zone 'Europe/Berlin'", clock);
    }

    @Override
    String foldingColumn() {
        return "varchar_ignorecase(512)";
    }
}
