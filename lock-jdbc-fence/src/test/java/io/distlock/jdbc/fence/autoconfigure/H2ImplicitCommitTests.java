package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;
import java.util.List;

class H2ImplicitCommitTests extends ImplicitCommitContract {

    @Override
    Database start() {
        return Database.h2();
    }

    @Override
    String lockTimeout() {
        return "set lock_timeout 5000";
    }

    @Override
    List<String> implicitCommits() {
        return List.of(
                "truncate table staging",
                "create table if not exists other (id int)",
                "alter table staging add if not exists more int",
                "analyze",
                "drop table if exists gone");
    }
}
