package io.distlock.jdbc;

class PostgreSqlR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }
}
