package io.distlock.spring.leader;

import io.distlock.leader.LeaderElection;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * Stands once the application is ready, and withdraws first of all when the context stops: before the web server begins its
 * graceful shutdown, so another instance leads while this one finishes its requests. Thread-safe.
 */
final class LeaderLifecycle implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    /** The highest stops first. */
    static final int PHASE = Integer.MAX_VALUE;

    private static final Duration LONGEST = Duration.ofHours(1);

    private final LeaderElections elections;
    private final LeaderProperties properties;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean ready;

    LeaderLifecycle(LeaderElections elections, LeaderProperties properties, ApplicationContext context) {
        this.elections = elections;
        this.properties = properties;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        if (event.getApplicationContext() == context) {
            ready = true;
            standIfReady();
        }
    }

    /** Again, in a context that was only stopped or paused. */
    @Override
    public void start() {
        running = true;
        standIfReady();
    }

    private void standIfReady() {
        if (running && ready) {
            properties.roles().forEach((name, role) -> {
                if (role.autoStart()) {
                    elections.get(name).stand();
                }
            });
        }
    }

    @Override
    public void stop(Runnable callback) {
        withdraw().whenComplete((done, failure) -> callback.run());
    }

    @Override
    public void stop() {
        Timeouts.await(withdraw(), LONGEST);
    }

    /** Ends within the longest revoke timeout and a call to the store. */
    private CompletableFuture<Void> withdraw() {
        running = false;
        List<CompletableFuture<Void>> all = elections.roles().stream()
                .map(elections::get)
                .map(LeaderElection::withdraw)
                .map(each -> each.toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
