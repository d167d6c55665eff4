package io.distlock.inmemory;

import io.distlock.spi.Grant;
import java.util.Optional;

/** What came of a request at once: granted, refused, or in the queue. */
final class Arrival {

    static final Arrival QUEUED = new Arrival(true, Optional.empty());
    static final Arrival REFUSED = new Arrival(false, Optional.empty());

    private final boolean queued;
    private final Optional<Grant> grant;

    private Arrival(boolean queued, Optional<Grant> grant) {
        this.queued = queued;
        this.grant = grant;
    }

    static Arrival granted(Grant grant) {
        return new Arrival(false, Optional.of(grant));
    }

    /** Whether it waits for its turn. */
    boolean isQueued() {
        return queued;
    }

    /** Of one that does not wait. */
    Optional<Grant> grant() {
        return grant;
    }
}
