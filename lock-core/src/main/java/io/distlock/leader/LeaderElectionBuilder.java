package io.distlock.leader;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes a {@link LeaderElection}. Not thread-safe. */
public final class LeaderElectionBuilder {

    private static final Duration USUAL_REVOKE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration MAX_REVOKE_TIMEOUT = Duration.ofHours(1);

    private final LockClient client;
    private final LockRuntime runtime;
    private final String role;
    private final List<LeaderListener> listeners = new ArrayList<>();
    private Duration leaseTime;
    private Duration revokeTimeout = USUAL_REVOKE_TIMEOUT;

    private LeaderElectionBuilder(LockClient client, LockRuntime runtime, String role) {
        this.client = client;
        this.runtime = runtime;
        this.role = role;
        this.leaseTime = client.options().leaseTime();
    }

    /**
     * An election on this client, with the client's lease time and lock-delay.
     *
     * @param runtime that of the client
     * @param role what is led; the same in all instances
     * @throws IllegalArgumentException if the role breaks a rule of {@link LockKey}
     */
    public static LeaderElectionBuilder of(LockClient client, LockRuntime runtime, String role) {
        return new LeaderElectionBuilder(
                client,
                runtime,
                LockKey.of(LeaderElection.LOCK_NAME, role).key().orElseThrow());
    }

    /**
     * How long a role stays without a leader after the leader has died, and ten times the margin in which listeners stop their
     * work if the store does not answer.
     */
    public LeaderElectionBuilder leaseTime(Duration leaseTime) {
        this.leaseTime = leaseTime;
        return this;
    }

    /** How long an instance that resigns or withdraws waits for listeners and work before it gives the lock back; by default 10 s. */
    public LeaderElectionBuilder revokeTimeout(Duration revokeTimeout) {
        LockOptions.requireBetween("revoke timeout", revokeTimeout, Duration.ZERO, MAX_REVOKE_TIMEOUT);
        this.revokeTimeout = revokeTimeout;
        return this;
    }

    public LeaderElectionBuilder listener(LeaderListener listener) {
        listeners.add(listener);
        return this;
    }

    /**
     * An election that does not stand yet.
     *
     * @throws IllegalArgumentException if the client's store cannot grant locks with this lease time
     */
    public LeaderElection build() {
        LockOptions options = new LockOptions(
                LockOptions.MAX_WAIT,
                leaseTime,
                true,
                LockOptions.MAX_HOLD,
                Duration.ZERO,
                client.options().lockDelay());
        client.validate(options);
        return new DefaultLeaderElection(client, runtime, role, options, revokeTimeout, listeners);
    }
}
