package io.distlock.spring.observation;

import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.micrometer.observation.Observation;
import java.util.List;

/**
 * The context of one observation: of the wait for a lock, or of the time it is held. Written by one thread at a time.
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

    LockObservationContext(Phase phase, String provider, String name, LockRequest request) {
        this.phase = phase;
        this.provider = provider;
        this.name = name;
        this.request = request;
    }

    public Phase phase() {
        return phase;
    }

    /** The name of the provider. */
    public String provider() {
        return provider;
    }

    /** The lock's name, usable as a tag; for several locks, the name of the first. */
    public String name() {
        return name;
    }

    public LockRequest request() {
        return request;
    }

    /** How it ended; {@code unknown} until then. */
    public String outcome() {
        return outcome;
    }

    void end(String how) {
        outcome = how;
    }

    /** The grants with their fencing tokens; empty until the lock is granted. */
    public List<Sequencer> grants() {
        return grants;
    }

    void granted(List<Sequencer> sequencers) {
        grants = sequencers;
    }
}
