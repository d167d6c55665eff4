package io.distlock.jdbc.fence;

class PostgreSqlR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }
}
