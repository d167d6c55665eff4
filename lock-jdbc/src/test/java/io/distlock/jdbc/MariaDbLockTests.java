package io.distlock.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MariaDbLockTests extends JdbcLockContract {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.mariadb();
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
        return "varchar(512) character set utf8mb4 collate utf8mb4_general_ci";
    }

    @Override
    long inAnotherZone() {
        return clockAfter("set time_zone = '+05:30'");
    }
}
