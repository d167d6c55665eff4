package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.AnnotatedCall.AnnotatedShop;
import io.distlock.benchmarks.store.Contestant;
import java.util.List;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The annotations whose price Spring users pay already, each on a method of one argument that does nothing itself. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement(proxyTargetClass = true)
@EnableCaching(proxyTargetClass = true)
class SpringAnnotationsBaseline {

    @Transactional
    void pay(int item) {}

    @Cacheable("bench")
    Integer price(int item) {
        return item;
    }

    void plain(int item) {}

    @Bean
    static ConcurrentMapCacheManager caches() {
        return new ConcurrentMapCacheManager();
    }

    @Bean
    static NoTransactions transactions() {
        return new NoTransactions();
    }

    static List<Contestant> contestants(ApplicationContext context) {
        SpringAnnotationsBaseline shop = context.getBean(SpringAnnotationsBaseline.class);
        return List.of(
                AnnotatedShop.contestant("a bare call", new SpringAnnotationsBaseline()::plain),
                AnnotatedShop.contestant("@Transactional, without a database", shop::pay),
                AnnotatedShop.contestant("@Cacheable, already there", shop::price));
    }

    /** All that Spring does for a transaction, and nothing that a database would. */
    private static final class NoTransactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
