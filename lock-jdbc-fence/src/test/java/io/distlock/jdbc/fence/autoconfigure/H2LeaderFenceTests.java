package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class H2LeaderFenceTests extends LeaderFenceContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
