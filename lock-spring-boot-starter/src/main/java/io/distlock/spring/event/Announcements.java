package io.distlock.spring.event;

import io.distlock.LockEvent;
import java.util.List;
import java.util.Optional;

/** Which event of the context tells of which event of a lock. */
final class Announcements {

    static final List<Class<?>> KINDS =
            List.of(LockAcquired.class, LockNotAcquired.class, LockFailed.class, LockReleased.class, LockLost.class);

    private Announcements() {}

    /** Renewals are not announced: they are many, and nothing to act on. */
    static Optional<Object> of(String provider, LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            return Optional.of(new LockAcquired(provider, acquired));
        } else if (event instanceof LockEvent.NotAcquired refused) {
            return Optional.of(new LockNotAcquired(provider, refused));
        } else if (event instanceof LockEvent.Failed failed) {
            return Optional.of(new LockFailed(provider, failed));
        } else if (event instanceof LockEvent.Released released) {
            return Optional.of(new LockReleased(provider, released));
        } else if (event instanceof LockEvent.Lost lost) {
            return Optional.of(new LockLost(provider, lost));
        }
        return Optional.empty();
    }
}
