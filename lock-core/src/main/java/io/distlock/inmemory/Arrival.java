package io.distlock.inmemory;

import io.distlock.spi.Grant;
import java.util.Optional;

/**
 * What came of a request at once.
 *
 * @param queued whether it waits for its turn
 */
record Arrival(boolean queued, Optional<Grant> grant) {

    static final Arrival QUEUED = new Arrival(true, Optional.empty());
    static final Arrival REFUSED = new Arrival(false, Optional.empty());

    Arrival {
        if (queued && grant.isPresent()) {
            throw new IllegalArgumentException("What is granted does not wait: " + grant.get());
        }
    }

    static Arrival granted(Grant grant) {
        return new Arrival(false, Optional.of(grant));
    }
}
