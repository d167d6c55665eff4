package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class PostgreSqlLeaderFenceTests extends LeaderFenceContract {

    @Override
    Database start() {
        return Database.postgresql();
    }
}
