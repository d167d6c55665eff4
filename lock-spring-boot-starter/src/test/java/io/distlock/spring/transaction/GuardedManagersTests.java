package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import io.distlock.LockLostException;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transaction managers whose commits are guarded, however their beans are made. */
class GuardedManagersTests {

    @Configuration(proxyBeanMethods = false)
    static class MadeByAFactory {

        @Bean
        FactoryBean<JdbcTransactionManager> transactionManager(DataSource dataSource) {
            return new FactoryBean<>() {
                @Override
                public JdbcTransactionManager getObject() {
                    return new JdbcTransactionManager(dataSource);
                }

                @Override
                public Class<?> getObjectType() {
                    return JdbcTransactionManager.class;
                }
            };
        }
    }

    /** The proxy passes the listener on to the manager behind it, which has it already. */
    @Configuration(proxyBeanMethods = false)
    static class BehindAProxy {

        @Bean
        @Primary
        JdbcTransactionManager behind(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        ProxyFactoryBean proxied(JdbcTransactionManager behind) {
            ProxyFactoryBean proxy = new ProxyFactoryBean();
            proxy.setTarget(behind);
            return proxy;
        }
    }

    @Test
    void theProductOfAFactoryCommitsNothingUnderALostLock() {
        Database.runner().withUserConfiguration(MadeByAFactory.class).run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> context.getBean(LockTemplate.class)
                            .lock("orders")
                            .leaseTime(Duration.ofSeconds(10))
                            .options(options -> options.withRenew(false))
                            .run(() -> transactions.executeWithoutResult(status -> {
                                context.getBean(Database.class).insert("stale");
                                context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                            })));
            assertThat(context.getBean(Database.class).rows()).isEmpty();
        });
    }

    @Test
    void aManagerBehindAProxyIsListenedToOnce() {
        Database.runner().withUserConfiguration(BehindAProxy.class).run(context -> {
            JdbcTransactionManager behind = context.getBean("behind", JdbcTransactionManager.class);
            assertThat(context.getBean("proxied")).isNotSameAs(behind);
            assertThat(behind.getTransactionExecutionListeners()).hasSize(1);
        });
    }

    /** Contexts that share a manager have resources of their own. */
    @Test
    void aManagerOfTwoContextsShowsItsLocksToTheResourcesOfBoth() {
        Database.runner().run(context -> {
            JdbcTransactionManager manager = new JdbcTransactionManager(context.getBean(DataSource.class));
            TransactionFence one = (provider, sequencer) -> {};
            TransactionFence other = (provider, sequencer) -> fail("no lock is held");
            CommitGuard first = new CommitGuard(false, () -> List.of(one));
            first.postProcessAfterInitialization(manager, "manager");
            first.postProcessAfterInitialization(manager, "same");
            new CommitGuard(false, () -> List.of(other)).postProcessAfterInitialization(manager, "manager");
            assertThat(manager.getTransactionExecutionListeners()).hasSize(2);
            assertThat(CommitGuard.shows(manager, one)).isTrue();
            assertThat(CommitGuard.shows(manager, other)).isTrue();
        });
    }
}
