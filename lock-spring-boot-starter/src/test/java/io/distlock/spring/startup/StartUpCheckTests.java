package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** How the methods of all beans are checked when the context starts. */
class StartUpCheckTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    // --- all at once ---

    static class ManyMistakes {

        @DistributedLock(name = "${missing}", key = "#", waitTime = "x", leaseTime = "1ms", provider = "none")
        public Future<String> all() {
            return CompletableFuture.completedFuture("");
        }

        @DistributedLock(onNotAcquired = OnNotAcquired.SKIP, lockDelay = "2h")
        public final int others() {
            return 0;
        }
    }

    @Test
    void allMistakesOfAllBeansAreListedInOneFailure() {
        runner.withBean(ManyMistakes.class)
                .withBean("again", ManyMistakes.class)
                .withBean(LockedMethodMistakesTests.FinalClass.class)
                .withBean(LockedMethodMistakesTests.BadDuration.class)
                .run(context -> assertThatExceptionOfType(InvalidLockedMethodsException.class)
                        .isThrownBy(() -> {
                            throw context.getStartupFailure();
                        })
                        .satisfies(failure -> assertThat(failure.problems())
                                .extracting(InvalidLockedMethodsException.Problem::attribute)
                                .containsExactlyInAnyOrder(
                                        "name",
                                        "key",
                                        "waitTime",
                                        "leaseTime",
                                        "provider",
                                        "return type",
                                        "onNotAcquired",
                                        "lockDelay",
                                        "method",
                                        "class",
                                        "waitTime"))
                        .withMessageContaining("ManyMistakes.all()")
                        .withMessageContaining("FinalClass.run()"));
    }

    // --- what is no mistake ---

    interface Port {
        @DistributedLock("port")
        List<LockKey> call();
    }

    static final class FinalAdapter implements Port {
        @Override
        public final List<LockKey> call() {
            return LockContext.current().keys();
        }
    }

    @Test
    void aFinalClassIsLockedThroughItsInterface() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(FinalAdapter.class)
                .run(context -> assertThat(context.getBean(Port.class).call()).containsExactly(LockKey.of("port")));
    }

    @Test
    void timesComeFromPlaceholdersAndAnEmptyOneIsTheDefault() {
        runner.withPropertyValues("job.wait=3s", "job.lease=")
                .withBean(Configured.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Configured {
        @DistributedLock(waitTime = "${job.wait}", leaseTime = "${job.lease}", maxHoldTime = "PT2H")
        public void run() {}
    }

    @Test
    void aLongerLeaseThanTheDefaultMaximumHoldIsJudgedTogetherWithTheAnnotationsOwnMaximum() {
        runner.withBean(LongLease.class).run(context -> assertThat(context).hasNotFailed());
    }

    static class LongLease {
        @DistributedLock(leaseTime = "2h", maxHoldTime = "3h")
        public void run() {}
    }

    static class NightlyJob {
        @DistributedLock(minHoldTime = "20h")
        public void run() {}
    }

    @Test
    void aMinimumHoldTimeIsJudgedTogetherWithAMaximumThatTheUserHasSetAndNotWithTheUsualOne() {
        runner.withBean(NightlyJob.class).run(context -> assertThat(context).hasNotFailed());
        runner.withPropertyValues("distributed-lock.max-hold-time=2h")
                .withBean(NightlyJob.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining(
                                "minHoldTime: minimum hold time 20h is longer than the maximum hold" + " time 2h"));
    }

    // --- no bean is made for it ---

    static class Counted {

        static final AtomicInteger MADE = new AtomicInteger();

        Counted() {
            MADE.incrementAndGet();
        }

        @DistributedLock
        public void run() {}
    }

    static class CountedFactory implements FactoryBean<Counted> {

        @Override
        public Counted getObject() {
            return new Counted();
        }

        @Override
        public Class<?> getObjectType() {
            return Counted.class;
        }
    }

    @Test
    void lazyBeansPrototypesAndFactoryProductsAreNotMade() {
        Counted.MADE.set(0);
        runner.withInitializer(LockTestContext.bean("lazy", Counted.class, bean -> bean.setLazyInit(true)))
                .withInitializer(LockTestContext.bean("prototype", Counted.class, bean -> bean.setScope("prototype")))
                .withBean("factory", CountedFactory.class)
                .withInitializer(
                        LockTestContext.bean("lazyFactory", CountedFactory.class, bean -> bean.setLazyInit(true)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(Counted.MADE).hasValue(0);
                    assertThat(context.getBeanFactory().containsSingleton("lazyFactory"))
                            .isFalse();
                });
    }

    // --- what only the call can tell ---

    static class Anything {

        @DistributedLock
        public Object run(Object result) {
            return result;
        }
    }

    @Test
    void aFutureFromAMethodThatDeclaresObjectIsReported() {
        runner.withBean(Anything.class).run(context -> {
            Anything bean = context.getBean(Anything.class);
            assertThat(bean.run("done")).isEqualTo("done");
            assertThatIllegalStateException()
                    .isThrownBy(() -> bean.run(new CompletableFuture<>()))
                    .withMessageContaining("CompletableFuture");
        });
    }

    // --- proxies ---

    @Test
    void withoutClientsALockedMethodFailsTheStartRatherThanRunUnlocked() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAopAutoConfiguration.class))
                .withBean(LongLease.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(NoSuchBeanDefinitionException.class)
                        .hasMessageContaining(LockClients.class.getName()));
    }

    @Test
    void noProxiesAtAllIsAProblem() {
        runner.withPropertyValues("spring.aop.auto=false")
                .withBean(Configured.class)
                .withPropertyValues("job.wait=3s", "job.lease=")
                .run(context ->
                        assertThat(context.getStartupFailure()).hasMessageContaining("Remove spring.aop.auto=false"));
    }
}
