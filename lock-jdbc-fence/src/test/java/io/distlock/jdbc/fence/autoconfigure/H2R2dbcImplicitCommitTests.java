package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class H2R2dbcImplicitCommitTests extends R2dbcImplicitCommitContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
