package io.distlock.spring.transaction;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.spring.LockTestContext;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A table on a real database, and what happened, in order. */
final class Database implements LockListener {

    private final JdbcTemplate jdbc;
    private final List<String> journal = new CopyOnWriteArrayList<>();

    Database(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute("create table item(name varchar(20))");
    }

    static ApplicationContextRunner runner() {
        return LockTestContext.manual()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true")
                .withBean(Database.class);
    }

    void insert(String name) {
        jdbc.update("insert into item(name) values (?)", name);
    }

    /** What another connection can see at this moment. */
    private int visible() {
        try (Connection another = Objects.requireNonNull(jdbc.getDataSource()).getConnection();
                ResultSet count = another.createStatement().executeQuery("select count(*) from item")) {
            count.next();
            return count.getInt(1);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    List<String> rows() {
        return jdbc.queryForList("select name from item order by name", String.class);
    }

    void note(String entry) {
        journal.add(entry);
    }

    List<String> journal() {
        return journal;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired) {
            journal.add("acquired " + event.key());
        } else if (event instanceof LockEvent.Released) {
            journal.add("released " + event.key() + ", visible " + visible());
        }
    }
}
