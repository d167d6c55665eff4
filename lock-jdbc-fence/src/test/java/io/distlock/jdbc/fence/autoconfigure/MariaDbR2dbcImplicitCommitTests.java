package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.Database;
import java.util.List;

class MariaDbR2dbcImplicitCommitTests extends R2dbcImplicitCommitContract {

    @Override
    Database start() {
        return Database.mariadb();
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
