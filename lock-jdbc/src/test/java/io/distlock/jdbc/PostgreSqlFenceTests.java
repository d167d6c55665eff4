package io.distlock.jdbc;

class PostgreSqlFenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }
}
