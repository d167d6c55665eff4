package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;
import java.util.List;

class H2R2dbcImplicitCommitTests extends R2dbcImplicitCommitContract {

    @Override
    Database start() {
        return Database.h2();
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
