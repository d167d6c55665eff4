package io.distlock.benchmarks.store;

import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.leader.LeaderListener;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** All that one application has: scheduler, provider and client, with the defaults that users get. Thread-safe. */
public final class Application implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountingScheduler timers;
    private final LockRuntime runtime;
    private final LockProvider provider;
    private final LockClient locks;
    private final Runnable afterwards;

    private Application(Function<LockRuntime, LockProvider> provider, Runnable afterwards) {
        this.timers = new CountingScheduler(LockRuntime.start().scheduler());
        this.runtime = new LockRuntime(Ticker.system(), timers);
        this.provider = provider.apply(runtime);
        this.locks = LockClientBuilder.of(this.provider, runtime)
                .shutdownTimeout(Duration.ZERO)
                .build();
        this.afterwards = afterwards;
    }

    /**
     * One that is connected.
     *
     * @param provider makes the provider, which is closed with this
     * @param afterwards gives up what the provider stands on
     */
    public static Application start(Function<LockRuntime, LockProvider> provider, Runnable afterwards) {
        Application application = new Application(provider, afterwards);
        await().atMost(PATIENCE).until(application::isUp);
        return application;
    }

    private boolean isUp() {
        return provider.check().toCompletableFuture().join().state() == ProviderStatus.State.UP;
    }

    /** The client that its code would use. */
    public LockClient locks() {
        return locks;
    }

    /**
     * Stands for nothing yet.
     *
     * @param listener is told of its terms
     */
    public LeaderElection election(String role, LeaderListener listener) {
        return LeaderElectionBuilder.of(locks, runtime, role).listener(listener).build();
    }

    /** How many timers its locks have set so far. */
    public long timersSet() {
        return timers.set();
    }

    @Override
    public void close() {
        locks.close();
        provider.close();
        afterwards.run();
        runtime.close();
    }

    /** Counts the timers that are set, and lets another scheduler run them. Thread-safe. */
    private static final class CountingScheduler implements LockScheduler {

        private final LockScheduler runner;
        private final AtomicLong set = new AtomicLong();

        CountingScheduler(LockScheduler runner) {
            this.runner = runner;
        }

        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            set.incrementAndGet();
            return runner.schedule(task, delay);
        }

        long set() {
            return set.get();
        }

        @Override
        public void close() {
            runner.close();
        }
    }
}
