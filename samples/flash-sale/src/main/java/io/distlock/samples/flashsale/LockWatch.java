package io.distlock.samples.flashsale;

import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Follows one lock at a time through the events of this instance's client. Thread-safe. */
@Component
final class LockWatch implements LockListener {

    private volatile Optional<LockRecord> followed = Optional.empty();

    /** Begins a new record, and forgets the one before. */
    void follow(LockKey key) {
        followed = Optional.of(new LockRecord(key));
    }

    /** What was recorded of a lock: nothing, unless it is the one that is followed. */
    LockRecord record(LockKey key) {
        return followed.filter(record -> record.key().equals(key)).orElseGet(() -> new LockRecord(key));
    }

    @Override
    public void onEvent(LockEvent event) {
        record(event.key()).add(event);
    }
}
