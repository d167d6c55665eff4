package io.distlock.http;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.http.LockHttpProperties.FenceStore;
import io.distlock.http.RequireLockInterceptor.Receiver;
import io.distlock.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.context.reactive.ReactiveWebApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;

/**
 * Auto-configuration of {@link RequireLock}. Unconditional: a method whose annotation is ignored would run without a lock. The
 * advisor is infrastructure, made by a static method, and creates no other bean early.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.aop.AopAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@EnableConfigurationProperties(LockHttpProperties.class)
public final class LockHttpServerAutoConfiguration {

    /** Inside method security (100 to 600), so that nobody else learns which locks are held; outside {@code @DistributedLock}. */
    private static final int ORDER = 900;

    private static final int REMEMBERED = 100_000;

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RequiredLocks requiredLocks() {
        return new RequiredLocks();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor requireLockAdvisor(RequiredLocks requirements, ObjectProvider<Receiver> receiver) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, RequireLock.class, true),
                new RequireLockInterceptor(requirements, receiver::getObject));
        advisor.setOrder(ORDER);
        return advisor;
    }

    @Bean
    static RequireLockValidator requireLockValidator(
            ConfigurableListableBeanFactory beans,
            RequiredLocks requirements,
            Advisor requireLockAdvisor,
            ApplicationContext context,
            ObjectProvider<Receiver> receiver) {
        boolean reactive = context instanceof ReactiveWebApplicationContext;
        return new RequireLockValidator(beans, requirements, requireLockAdvisor, reactive, receiver::getObject);
    }

    @Bean
    LockRequirementAdvice lockRequirementAdvice() {
        return new LockRequirementAdvice();
    }

    @Bean
    @Lazy
    Receiver requiredLockReceiver(
            LockHttpProperties properties, ObjectProvider<LockClient> client, ListableBeanFactory beans) {
        SequencerHeader header = properties.header();
        Optional<LockClient> store = header.isSigned() ? Optional.empty() : Optional.of(store(client));
        return new Receiver(
                header,
                new GrantVerifier(
                        fence(properties.fence(), beans),
                        store.map(locks -> locks::isCurrentAsync),
                        REMEMBERED,
                        Ticker.system()));
    }

    /** Makes the request known to the publishers that answer it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {

        @Bean
        @ConditionalOnMissingBean
        ServerWebExchangeContextFilter serverWebExchangeContextFilter() {
            return new ServerWebExchangeContextFilter();
        }
    }

    private static LockClient store(ObjectProvider<LockClient> clients) {
        LockClient client = clients.getIfAvailable();
        if (client == null) {
            throw new IllegalStateException(
                    "@RequireLock needs to ask a lock store whether a grant is current, but there"
                            + " is no lock provider: add one, or set distributed-lock.http.secret");
        }
        return client;
    }

    private static Fence fence(FenceStore store, ListableBeanFactory beans) {
        if (store == FenceStore.MEMORY) {
            return new MemoryFence(REMEMBERED, Ticker.system());
        }
        String name = store.name().toLowerCase(Locale.ROOT);
        if (!beans.containsBean(name + "Fence")) {
            throw new IllegalStateException("distributed-lock.http.server.fence is " + name + ", but there is no bean "
                    + name + "Fence: add lock-" + name + "-fence and set distributed-lock." + name
                    + ".fencing.enabled to true, or give your own fence that name (the fences here are "
                    + List.of(beans.getBeanNamesForType(Fence.class)) + ")");
        }
        Fence fence = beans.getBean(name + "Fence", Fence.class);
        return store == FenceStore.JDBC ? InTransaction.of(fence, beans) : fence;
    }

    /** A class of its own, since Spring's transactions are optional. */
    private static final class InTransaction {

        /** A grant of no lock. */
        private static final Sequencer PROBE = new Sequencer(
                LockKey.of("probe", UUID.randomUUID().toString()), LockMode.EXCLUSIVE, new FencingToken(1));

        /** In the caller's transaction, or in one of its own, of the first manager whose transactions the fence takes part in. */
        static Fence of(Fence fence, ListableBeanFactory beans) {
            ObjectProvider<PlatformTransactionManager> managers =
                    beans.getBeanProvider(PlatformTransactionManager.class);
            List<RuntimeException> refusals = new ArrayList<>();
            return Stream.concat(Stream.ofNullable(managers.getIfUnique()), managers.orderedStream())
                    .map(TransactionTemplate::new)
                    .filter(transactions -> isAccepted(transactions, fence, refusals))
                    .findFirst()
                    .<Fence>map(transactions ->
                            sequencer -> transactions.executeWithoutResult(status -> fence.advance(sequencer)))
                    .orElseThrow(() -> new IllegalStateException(
                            "distributed-lock.http.server.fence is jdbc, but no transaction manager begins transactions of the"
                                    + " fence's database: define a JdbcTransactionManager or JpaTransactionManager for its"
                                    + " DataSource",
                            refusals.isEmpty() ? null : refusals.get(0)));
        }

        /** Found by advancing it in a transaction that is rolled back. */
        private static boolean isAccepted(
                TransactionTemplate transactions, Fence fence, List<RuntimeException> refusals) {
            try {
                transactions.executeWithoutResult(status -> {
                    status.setRollbackOnly();
                    fence.advance(PROBE);
                });
                return true;
            } catch (StaleFencingTokenException late) {
                return true;
            } catch (RuntimeException refusal) {
                refusals.add(refusal);
                return false;
            }
        }
    }
}
