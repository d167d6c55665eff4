package io.distlock.jdbc.fence.proof;

import io.distlock.FencingToken;
import io.distlock.LockLostException;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.spring.template.LockTemplate;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose writers lose their locks without noticing. Fenced or not, its code is the same. */
final class Victim implements AutoCloseable {

    /** How a writer's work has ended. */
    enum Outcome {
        DONE,
        /** By the fence. */
        REFUSED,
        /** It has learnt that its lock was lost. */
        LOST,
        /** The database's own refusal. */
        CONFLICT
    }

    private final ConfigurableApplicationContext context;
    private final LockTemplate locks;
    private final PlatformTransactionManager transactions;
    private final JdbcTemplate jdbc;

    private Victim(ConfigurableApplicationContext context) {
        this.context = context;
        this.locks = context.getBean(LockTemplate.class);
        this.transactions = context.getBean(PlatformTransactionManager.class);
        this.jdbc = context.getBean(JdbcTemplate.class);
    }

    /** One at a time: the applications share the JVM's logging and other statics, which each sets up as it starts. */
    static synchronized Victim start(List<String> properties, String url, String user, boolean fenced) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.banner-mode=off",
                "--logging.level.root=error",
                "--proof.url=" + url,
                "--proof.user=" + user,
                "--distributed-lock.jdbc.fencing.enabled=" + fenced));
        properties.forEach(each -> arguments.add("--" + each));
        Victim victim = new Victim(new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new)));
        // How long a cold driver takes is no matter of the tests.
        victim.locks.lock("warm").waitTime(Duration.ofSeconds(30)).run(() -> {});
        return victim;
    }

    LockClients clients() {
        return context.getBean(LockClients.class);
    }

    /**
     * Does the work.
     *
     * @param pause called once with the lock's token where the work pauses
     * @param end called under the lock after the last transaction
     */
    Outcome write(Work work, Duration lease, Consumer<FencingToken> pause, Runnable end) {
        try {
            locks.lock("account", work.account())
                    .waitTime(Duration.ofSeconds(30))
                    .leaseTime(lease)
                    .run(() -> {
                        try {
                            work(work, pause);
                        } finally {
                            end.run();
                        }
                    });
            return Outcome.DONE;
        } catch (StaleFencingTokenException refused) {
            return Outcome.REFUSED;
        } catch (LockLostException lost) {
            return Outcome.LOST;
        } catch (DataAccessException failure) {
            if (isConflict(failure)) {
                return Outcome.CONFLICT;
            }
            throw failure;
        }
    }

    /** Where the fence met a conflict, PostgreSQL refuses the body's statements in turn, and names the conflict as the cause. */
    private static boolean isConflict(DataAccessException failure) {
        return failure instanceof ConcurrencyFailureException
                || (failure.getRootCause() instanceof SQLException cause && "40001".equals(cause.getSQLState()));
    }

    private void work(Work work, Consumer<FencingToken> pause) {
        FencingToken token = LockContext.current().fencingToken();
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        transaction.setIsolationLevel(work.isolation().level);
        switch (work.form()) {
            case TWO_TRANSACTIONS -> {
                int last = Objects.requireNonNull(transaction.execute(status -> read(work)));
                pause.accept(token);
                transaction.executeWithoutResult(status -> book(work, last, token));
            }
            case IN_TRANSACTION ->
                transaction.executeWithoutResult(status -> {
                    int last = read(work);
                    pause.accept(token);
                    book(work, last, token);
                });
            case AT_COMMIT ->
                PausingDataSource.beforeCommit(
                        () -> pause.accept(token),
                        () -> transaction.executeWithoutResult(status -> book(work, read(work), token)));
        }
    }

    private int read(Work work) {
        return Objects.requireNonNull(jdbc.queryForObject(work.select(), Integer.class, work.account()));
    }

    private void book(Work work, int last, FencingToken token) {
        jdbc.update(work.insert(), work.account(), last + 1, token.value());
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        DataSource dataSource(Environment environment) {
            return PausingDataSource.to(
                    environment.getRequiredProperty("proof.url"), environment.getRequiredProperty("proof.user"));
        }
    }
}
