package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;

class MariaDbImplicitCommitTests extends ImplicitCommitContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    @Override
    String lockTimeout() {
        return "set innodb_lock_wait_timeout = 5";
    }
}
