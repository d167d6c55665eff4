package io.distlock;

import java.io.Serializable;

/**
 * A number that is larger than the token of every earlier grant of the same key; on Redlock, readers whose acquisitions overlap
 * may share one. A resource that remembers the largest token it has seen can refuse stale holders ("fencing"; the generation
 * number of a sequencer in Burrows, The Chubby lock service, OSDI 2006).
 *
 * @param value a positive number, compared numerically
 */
public record FencingToken(long value) implements Comparable<FencingToken>, Serializable {

    public FencingToken {
        if (value <= 0) {
            throw new IllegalArgumentException("fencing token " + value + " must be positive");
        }
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
