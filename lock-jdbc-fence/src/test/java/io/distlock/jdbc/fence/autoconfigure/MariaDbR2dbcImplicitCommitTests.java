package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class MariaDbR2dbcImplicitCommitTests extends R2dbcImplicitCommitContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
