package io.distlock.samples.flashsale;

import io.distlock.spring.LockContext;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The night reports of all instances. */
@Repository
class Reports {

    private static final String LATEST =
            "select id, instance, term, sold, written_at from report order by id desc limit 1";

    private final JdbcClient database;
    private final String instance;

    Reports(JdbcClient database, FlashSaleSettings settings) {
        this.database = database;
        this.instance = settings.instance();
    }

    /** In the leader's term: if that ends before the transaction does, nothing is written. */
    @Transactional
    public Report write() {
        database.sql("insert into report (instance, term, sold) values (?, ?, (select count(*) from sold))")
                .params(instance, LockContext.current().fencingToken().value())
                .update();
        return latest().orElseThrow();
    }

    public Optional<Report> latest() {
        return database.sql(LATEST).query(Reports::report).optional();
    }

    private static Report report(ResultSet row, int number) throws SQLException {
        Timestamp writtenAt = row.getTimestamp("written_at");
        return new Report(
                row.getLong("id"),
                row.getString("instance"),
                row.getLong("term"),
                row.getInt("sold"),
                writtenAt.toInstant());
    }
}
