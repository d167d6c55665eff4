package io.distlock.spring.observation;

import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.micrometer.observation.Observation;
import java.util.List;

/**
 * What is known about one observation of a lock: of the wait for it, or of the time for which it is held. Written by one
 * thread at a time.
 */
public final class LockObservationContext extends Observation.Context {

    private final Phase phase;
    private final String provider;
    private final String name;
    private final LockRequest request;
    private volatile String outcome = "unknown";
    private volatile List<Sequencer> grants = List.of();

    /** What is observed. */
    public enum Phase {
        /** From the call to its answer. */
        WAIT,
        /** From the grant to the end. */
        HOLD
    }

    /**
     * @param name the name of the lock, of which there are not many; of several locks, of the first
     */
    LockObservationContext(Phase phase, String provider, String name, LockRequest request) {
        this.phase = phase;
        this.provider = provider;
        this.name = name;
        this.request = request;
    }

    public Phase phase() {
        return phase;
    }

    /** Who is asked for the lock. */
    public String provider() {
        return provider;
    }

    /** The name of the lock, fit for a tag; of several locks, of the first. */
    public String name() {
        return name;
    }

    public LockRequest request() {
        return request;
    }

    /** How it has ended; {@code unknown} until then. */
    public String outcome() {
        return outcome;
    }

    void end(String how) {
        outcome = how;
    }

    /** The grants, with their fencing tokens; none before the lock is granted. */
    public List<Sequencer> grants() {
        return grants;
    }

    void granted(List<Sequencer> sequencers) {
        grants = sequencers;
    }
}
