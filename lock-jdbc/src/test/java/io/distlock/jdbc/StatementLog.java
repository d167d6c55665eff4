package io.distlock.jdbc;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A PostgreSQL's log, which tells each of its statements. */
record StatementLog(Database database) {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** It tells them from now on; where in it. */
    int begin() {
        database.jdbc().execute("alter system set log_statement = 'all'");
        database.jdbc().execute("select pg_reload_conf()");
        String mark = "select '" + UUID.randomUUID() + "'";
        await().atMost(PATIENCE).until(() -> {
            database.jdbc().execute(mark);
            return text().contains(mark);
        });
        return end();
    }

    int end() {
        return text().length();
    }

    private String text() {
        return database.server().process().log();
    }

    List<String> since(int before) {
        return text().substring(before).lines().toList();
    }

    /** Statements of the locks, all that were sent by now; those of several lines are continued on the next ones. */
    List<String> statementsSince(int before) {
        String mark = "select '" + UUID.randomUUID() + "'";
        database.jdbc().execute(mark);
        await().atMost(PATIENCE).until(() -> text().contains(mark));
        return since(before).stream()
                .filter(line -> line.matches(".*LOG: +(execute|statement).*: +\\S.*")
                        && !line.contains("select '")
                        && !line.contains(": SET ")
                        && !line.contains("pg_reload_conf"))
                .toList();
    }
}
