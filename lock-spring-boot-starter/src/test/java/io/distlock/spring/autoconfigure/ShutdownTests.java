package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** Closing a context while methods hold locks and wait for them. */
@Timeout(240)
class ShutdownTests {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final NamedProvider provider = new NamedProvider("own");

    private final ApplicationContextRunner runner = LockTestContext.withoutProvider()
            .withBean("own", LockProvider.class, () -> provider)
            .withBean(Jobs.class)
            .withInitializer(LockTestContext.bean("resource", Resource.class, bean -> bean.setLazyInit(true)));

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Made last, so destroyed first. */
    static class Resource implements DisposableBean {

        private volatile boolean gone;

        boolean isGone() {
            return gone;
        }

        @Override
        public void destroy() {
            gone = true;
        }
    }

    static class Jobs {

        /** Renewed every two seconds. */
        @DistributedLock(name = "job", leaseTime = "6s")
        public <T> T run(Callable<T> body) throws Exception {
            return body.call();
        }

        @DistributedLock(name = "job", waitTime = "1h")
        public void waiting() {}
    }

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch leave = new CountDownLatch(1);

    private Future<Boolean> hold(Jobs jobs, Resource resource) throws InterruptedException {
        Future<Boolean> holder = threads.submit(() -> jobs.run(() -> {
            inside.countDown();
            leave.await();
            return resource.isGone();
        }));
        inside.await();
        return holder;
    }

    @Test
    void aBodyThatIsRunningMayFinishWhileAllBeansAreStillThere() {
        runner.withPropertyValues("distributed-lock.shutdown-timeout=30s").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Future<Boolean> holder = hold(jobs, context.getBean(Resource.class));
            Future<?> waiter = threads.submit(jobs::waiting);
            Future<?> closing =
                    threads.submit(() -> context.getSourceApplicationContext().close());
            // Waiters fail first, so their end shows that the context is closing.
            assertThatThrownBy(() -> waiter.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LockUnavailableException.class);
            assertThat(closing).isNotDone();
            leave.countDown();
            assertThat(holder.get()).as("destroyed before the body ended").isFalse();
            closing.get(30, TimeUnit.SECONDS);
            assertThat(provider.isClosed()).isTrue();
        });
    }

    @Test
    void aContextThatClosesWhileHoldingAndWaitingIsDoneInBoundedTimeAndRenewsNothingAfterwards() {
        runner.withPropertyValues("distributed-lock.shutdown-timeout=200ms").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Future<Boolean> holder = hold(jobs, context.getBean(Resource.class));
            Future<?> waiter = threads.submit(jobs::waiting);
            threads.submit(() -> context.getSourceApplicationContext().close()).get(30, TimeUnit.SECONDS);
            int renewals = provider.renewals();
            assertThatThrownBy(() -> waiter.get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockUnavailableException.class);
            // The time of a renewal.
            assertThat(threads.awaitTermination(2_500, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(provider.renewals()).isEqualTo(renewals);
            leave.countDown();
            assertThatThrownBy(() -> holder.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            LockLostException.class,
                            lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.CLIENT_CLOSED));
        });
    }

    @Test
    void aContextThatStopsAndStartsAgainKeepsItsClients() {
        runner.run(context -> {
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();
            assertThat(context.getBean(Jobs.class).run(() -> "done")).isEqualTo("done");
        });
    }

    @Test
    void whatTakesInWorkStopsBeforeTheClientsClose() {
        Journal journal = new Journal(new ArrayList<>());
        runner.withBean(Journal.class, () -> journal)
                .withBean(TakesInWork.class)
                .run(context -> {
                    context.getSourceApplicationContext().close();
                    assertThat(journal.entries()).containsExactly("locked while stopping");
                });
    }

    record Journal(List<String> entries) {}

    static class TakesInWork implements SmartLifecycle {

        private final Journal journal;
        private final Jobs jobs;
        private volatile boolean running;

        TakesInWork(Journal journal, Jobs jobs) {
            this.journal = journal;
            this.jobs = jobs;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            try {
                journal.entries().add(jobs.run(() -> "locked while stopping"));
            } catch (Exception failure) {
                journal.entries().add(failure.toString());
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        /** As a web server. */
        @Override
        public int getPhase() {
            return Integer.MAX_VALUE - 2_048;
        }
    }

    @Test
    void aContextThatNeverStartedClosesItsClientsToo() {
        runner.withBean("broken", Object.class, () -> {
                    throw new IllegalStateException("of the application");
                })
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(provider.isClosed()).isTrue();
                });
    }
}
