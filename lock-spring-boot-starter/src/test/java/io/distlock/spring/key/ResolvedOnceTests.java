package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.PropertySource;

/** What an annotation says is read when the application starts, and not at each call. */
class ResolvedOnceTests {

    static class Jobs {

        @DistributedLock(name = "${job.name}", key = "#id")
        public String run(long id) {
            return LockContext.current().keys().get(0).name();
        }
    }

    /** Counts how often the name is looked up. */
    private static final class Counting extends PropertySource<AtomicInteger> {

        private Counting() {
            super("counting", new AtomicInteger());
        }

        @Override
        public @Nullable Object getProperty(String property) {
            if (!property.equals("job.name")) {
                return null;
            }
            getSource().incrementAndGet();
            return "nightly";
        }
    }

    @Test
    void aMethodIsResolvedOnceHoweverOftenItIsCalled() {
        Counting counting = new Counting();
        LockTestContext.manual()
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(counting))
                .withBean(Jobs.class)
                .run(context -> {
                    int atStart = counting.getSource().get();
                    assertThat(atStart).isPositive();
                    Jobs jobs = context.getBean(Jobs.class);
                    for (long id = 0; id < 5; id++) {
                        assertThat(jobs.run(id)).isEqualTo("nightly");
                    }
                    assertThat(counting.getSource()).hasValue(atStart);
                });
    }
}
