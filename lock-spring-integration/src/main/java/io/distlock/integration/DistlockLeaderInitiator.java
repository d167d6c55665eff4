package io.distlock.integration;

import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Spring Integration's leadership on a {@link LeaderElection}: a {@link Candidate} is granted and revoked, and the events that
 * {@code @Role} endpoints and listeners know are published. Stands from its start to its stop. Unlike {@code
 * LockRegistryLeaderInitiator} it occupies no thread, and revokes before another instance is granted. Thread-safe.
 *
 * <p>{@code onGranted} is called by the election's listeners' rules: it may block, but should leave long work to a thread of its
 * own. If it throws, this instance resigns.
 */
public final class DistlockLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware {

    private final LeaderElection election;
    private final Candidate candidate;
    private final Context context = new ElectionContext();
    private volatile @Nullable LeaderEventPublisher events;
    private volatile boolean running;

    /**
     * Leads through this election, which the caller closes.
     *
     * @throws IllegalArgumentException if the candidate names another role than the election's
     */
    public DistlockLeaderInitiator(LeaderElection election, Candidate candidate) {
        if (!election.role().equals(candidate.getRole())) {
            throw new IllegalArgumentException("the candidate's role is '" + candidate.getRole()
                    + "', but the election's '" + election.role() + "': give both the same");
        }
        this.election = election;
        this.candidate = candidate;
        election.addListener(new Granting());
    }

    @Override
    public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
        events = new DefaultLeaderEventPublisher(publisher);
    }

    /** What the candidate is granted: yields by resigning. */
    public Context context() {
        return context;
    }

    @Override
    public void start() {
        if (!running) {
            running = true;
            election.stand();
        }
    }

    @Override
    public void stop(Runnable callback) {
        if (!running) {
            callback.run();
            return;
        }
        running = false;
        election.withdraw().whenComplete((done, failure) -> callback.run());
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private final class ElectionContext implements Context {

        @Override
        public boolean isLeader() {
            return election.isLeader();
        }

        @Override
        public void yield() {
            election.resign();
        }

        @Override
        public String getRole() {
            return election.role();
        }
    }

    /** Called for one term after the other. A stop may not be over when the next start is called, so this one is never removed. */
    private final class Granting implements LeaderListener {

        private volatile boolean granted;

        @Override
        public void onElected(LeaderTerm term) {
            if (!running) {
                return;
            }
            granted = true;
            try {
                candidate.onGranted(context);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while leadership was granted", interrupt);
            }
            LeaderEventPublisher publisher = events;
            if (publisher != null) {
                publisher.publishOnGranted(candidate, context, Objects.requireNonNull(candidate.getRole()));
            }
        }

        @Override
        public void onRevoked(LeaderTerm term, Revocation reason) {
            if (!granted) {
                return;
            }
            granted = false;
            try {
                candidate.onRevoked(context);
            } finally {
                LeaderEventPublisher publisher = events;
                if (publisher != null) {
                    publisher.publishOnRevoked(candidate, context, Objects.requireNonNull(candidate.getRole()));
                }
            }
        }
    }
}
