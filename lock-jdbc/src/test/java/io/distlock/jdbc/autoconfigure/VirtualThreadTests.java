package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.jdbc.Database;
import io.distlock.spring.DistributedLock;
import io.distlock.test.process.VirtualThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Drivers block, but on threads of the locks' own: a virtual thread that wants a lock lets go of its carrier. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTests {

    @TempDir
    Path folder;

    @Test
    void acquiringWaitingAndReleasingPinNoThreadOnPostgreSql() throws Exception {
        try (Database database = Database.postgresql()) {
            assertThatNoThreadIsPinned(database);
        }
    }

    @Test
    void acquiringWaitingAndReleasingPinNoThreadOnMariaDb() throws Exception {
        try (Database database = Database.mariadb()) {
            assertThatNoThreadIsPinned(database);
        }
    }

    private void assertThatNoThreadIsPinned(Database database) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--distributed-lock.jdbc.connect-timeout=60s",
                        "--distributed-lock.jdbc.call-timeout=10s")) {
            Jobs jobs = context.getBean(Jobs.class);
            AtomicInteger renewals = context.getBean(AtomicInteger.class);
            // What is loaded for the first time may pin on its own account.
            jobs.run(() -> true);
            List<Runnable> tasks = new ArrayList<>();
            tasks.add(() -> jobs.run(() -> renewals.get() > 0));
            for (int task = 0; task < 30; task++) {
                tasks.add(() -> jobs.run(() -> true));
            }
            assertThat(VirtualThreads.pinnedBy(folder, tasks)).isEmpty();
            assertThat(renewals).hasPositiveValue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        AtomicInteger renewals() {
            return new AtomicInteger();
        }

        @Bean
        LockListener counting(AtomicInteger renewals) {
            return event -> renewals.addAndGet(event instanceof LockEvent.Renewed ? 1 : 0);
        }
    }

    static class Jobs {

        @DistributedLock(name = "job", waitTime = "2m", leaseTime = "8s")
        public void run(BooleanSupplier isDone) {
            while (!isDone.getAsBoolean()) {
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        }
    }
}
