package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.jdbc.Database;
import io.distlock.spring.DistributedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Every connection of the application's pool is in a transaction under a lock, or in one that waits for a lock, and more callers
 * come. The locks have connections of their own, so nobody waits for somebody who waits for him.
 */
class LoadedApplicationTests {

    private static final int POOL = 4;
    private static final int CALLERS = 24;

    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

    @AfterEach
    void end() {
        callers.shutdownNow();
    }

    private static ConfigurableApplicationContext run(Database database) {
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), ""));
        jdbc.execute("create table stock (item int primary key, amount int)");
        for (int item = 0; item < POOL; item++) {
            jdbc.update("insert into stock values (?, 0)", item);
        }
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.hikari.maximum-pool-size=" + POOL,
                        "--spring.datasource.hikari.connection-timeout=120000",
                        "--distributed-lock.jdbc.connect-timeout=60s",
                        "--distributed-lock.jdbc.call-timeout=10s");
    }

    @Test
    void transactionsUnderLocksOnPostgreSql() throws Exception {
        try (Database database = Database.postgresql();
                ConfigurableApplicationContext context = run(database)) {
            assertThatTransactionsUnderLocksEnd(context);
            assertThatTransactionsThatWaitForALockEnd(context);
        }
    }

    @Test
    void transactionsUnderLocksOnH2() throws Exception {
        try (Database database = Database.h2();
                ConfigurableApplicationContext context = run(database)) {
            assertThatTransactionsUnderLocksEnd(context);
            assertThatTransactionsThatWaitForALockEnd(context);
        }
    }

    /** Each holder has a connection until all leases were renewed; the other callers wait for its lock. */
    private void assertThatTransactionsUnderLocksEnd(ConfigurableApplicationContext context) throws Exception {
        Warehouse warehouse = context.getBean(Warehouse.class);
        Events events = context.getBean(Events.class);
        assertThat(amounts(context)).containsOnly(0);
        HikariPoolMXBean pool = context.getBean(HikariDataSource.class).getHikariPoolMXBean();
        CountDownLatch open = new CountDownLatch(1);
        List<Future<?>> calls = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            int item = caller % POOL;
            calls.add(callers.submit(() -> warehouse.add(item, open)));
        }
        await().atMost(Duration.ofMinutes(1))
                .until(() -> pool.getActiveConnections() == POOL && events.renewed.size() == POOL);
        open.countDown();
        assertThatAllEnd(calls);
        assertThat(amounts(context)).containsOnly(CALLERS / POOL);
        assertThat(events.troubles).isEmpty();
    }

    /** The other way round: a connection is taken first, then the lock, by as many as there are connections, and more. */
    private void assertThatTransactionsThatWaitForALockEnd(ConfigurableApplicationContext context) throws Exception {
        Warehouse warehouse = context.getBean(Warehouse.class);
        TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
        List<Integer> before = amounts(context);
        List<Future<?>> calls = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            calls.add(callers.submit(
                    () -> transactions.executeWithoutResult(transaction -> warehouse.addInTransaction(0))));
        }
        assertThatAllEnd(calls);
        assertThat(amounts(context).get(0)).isEqualTo(before.get(0) + CALLERS);
        assertThat(context.getBean(Events.class).troubles).isEmpty();
    }

    private static void assertThatAllEnd(List<Future<?>> calls) throws Exception {
        for (Future<?> call : calls) {
            call.get(2, TimeUnit.MINUTES);
        }
    }

    private static List<Integer> amounts(ConfigurableApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList("select amount from stock order by item", Integer.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Warehouse warehouse(JdbcTemplate jdbc) {
            return new Warehouse(jdbc);
        }

        @Bean
        Events events() {
            return new Events();
        }
    }

    static class Events implements LockListener {

        private final Set<String> renewed = ConcurrentHashMap.newKeySet();
        private final Set<LockEvent> troubles = ConcurrentHashMap.newKeySet();

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Renewed renewal) {
                renewed.add(renewal.key().text());
            } else if (event instanceof LockEvent.Lost
                    || event instanceof LockEvent.Failed
                    || event instanceof LockEvent.NotAcquired) {
                troubles.add(event);
            }
        }
    }

    static class Warehouse {

        private final JdbcTemplate jdbc;

        Warehouse(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#item", waitTime = "2m", leaseTime = "12s")
        public void add(int item, CountDownLatch open) {
            jdbc.update("update stock set amount = amount + 1 where item = ?", item);
            awaitUninterrupted(open);
        }

        /** Reads, then writes: an update would be lost without the lock, which is kept until the caller's transaction ends. */
        @DistributedLock(name = "stock", key = "#item", waitTime = "2m", leaseTime = "12s")
        public void addInTransaction(int item) {
            Integer amount = jdbc.queryForObject("select amount from stock where item = ?", Integer.class, item);
            jdbc.update("update stock set amount = ? where item = ?", amount == null ? 0 : amount + 1, item);
        }

        private static void awaitUninterrupted(CountDownLatch open) {
            try {
                if (!open.await(2, TimeUnit.MINUTES)) {
                    throw new IllegalStateException("nobody has opened it");
                }
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException(interrupt);
            }
        }
    }
}
