package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;
import java.util.List;

class MariaDbImplicitCommitTests extends ImplicitCommitContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    @Override
    String lockTimeout() {
        return "set innodb_lock_wait_timeout = 5";
    }

    @Override
    List<String> implicitCommits() {
        return List.of(
                "truncate table staging",
                "create table if not exists other (id int)",
                "alter table staging add column if not exists more int",
                "analyze table staging",
                "begin");
    }
}
