package io.distlock.jdbc.autoconfigure;

import static org.awaitility.Awaitility.await;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * One of two instances of an application. Takes turns at a counter, shares jobs with the other one, and at last holds a lock until
 * it is killed. Its tables know no keys and no transactions: only the locks keep the two apart.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class TurnsProcess {

    static final int TURNS = 50;
    static final int JOBS = 20;

    static void createTables(JdbcTemplate jdbc) {
        List.of(
                        "create table ready (instance varchar(20))",
                        "create table counter (amount int)",
                        "insert into counter values (0)",
                        "create table turn (token bigint, began bigint, ended bigint)",
                        "create table done (job int)",
                        "create table ready_to_hold (instance varchar(20))",
                        "create table held (instance varchar(20))")
                .forEach(jdbc::execute);
    }

    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(TurnsProcess.class)
                .web(WebApplicationType.NONE)
                .run(arguments)) {
            String instance = context.getEnvironment().getRequiredProperty("instance");
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Turns turns = context.getBean(Turns.class);
            meet(jdbc, "ready", instance);
            List<Object[]> taken = new ArrayList<>();
            for (int turn = 0; turn < TURNS; turn++) {
                taken.add(turns.take());
            }
            for (int job = 0; job < JOBS; job++) {
                turns.doOnce(job);
            }
            jdbc.batchUpdate("insert into turn values (?, ?, ?)", taken);
            meet(jdbc, "ready_to_hold", instance);
            turns.hold(instance);
        }
    }

    private static void meet(JdbcTemplate jdbc, String table, String instance) {
        jdbc.update("insert into " + table + " values (?)", instance);
        await().atMost(Duration.ofMinutes(3))
                .until(() -> jdbc.queryForList("select instance from " + table, String.class)
                                .size()
                        == 2);
    }

    @Bean
    Turns turns(JdbcTemplate jdbc) {
        return new Turns(jdbc);
    }

    static class Turns {

        private final JdbcTemplate jdbc;

        Turns(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** Token, beginning and end. */
        @DistributedLock(name = "turn", waitTime = "3m", leaseTime = "30s")
        public Object[] take() {
            long began = System.nanoTime();
            Integer amount = jdbc.queryForObject("select amount from counter", Integer.class);
            jdbc.update("update counter set amount = ?", amount == null ? 0 : amount + 1);
            return new Object[] {LockContext.current().fencingToken().value(), began, System.nanoTime()};
        }

        @DistributedLock(name = "job", key = "#job", waitTime = "3m", leaseTime = "30s")
        public void doOnce(int job) {
            if (jdbc.queryForList("select job from done where job = ?", Integer.class, job)
                    .isEmpty()) {
                jdbc.update("insert into done values (?)", job);
            }
        }

        /** Until somebody kills it. */
        @DistributedLock(name = "last", waitTime = "3m", leaseTime = "2s")
        public void hold(String instance) {
            jdbc.update("insert into held values (?)", instance);
            await().forever().until(() -> false);
        }
    }
}
