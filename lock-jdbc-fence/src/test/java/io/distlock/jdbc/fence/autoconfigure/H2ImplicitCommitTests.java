package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class H2ImplicitCommitTests extends ImplicitCommitContract {

    @Override
    Database start() {
        return Database.h2();
    }

    @Override
    String lockTimeout() {
        return "set lock_timeout 5000";
    }
}
