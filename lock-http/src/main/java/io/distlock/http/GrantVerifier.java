package io.distlock.http;

import io.distlock.LockException;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedRuntimeException;

/**
 * Decides whether a request's grant is genuine, and whether no later one has been used here. A header can be forged, and a
 * fence that accepted a forged large token would refuse all real holders. So a grant that is new here is passed to the fence
 * only after the lock store has confirmed it (Chubby's CheckSequencer): one call for each grant every 30 seconds, not for each
 * request. No fence forgets a token sooner than that. Thread-safe.
 */
final class GrantVerifier {

    private static final Logger log = LoggerFactory.getLogger(GrantVerifier.class);

    private static final long CONFIRMED_NANOS = Duration.ofSeconds(30).toNanos();

    private final Fence fence;
    private final Optional<Predicate<Sequencer>> store;
    private final Ticker clock;

    /** When each was last asked about. Bounded: a grant that was dropped is asked about again. */
    private final Map<Sequencer, Long> confirmed;

    /**
     * @param store asks the lock store whether a grant is current; empty if all grants are authentic already
     * @param capacity how many confirmed grants to remember
     */
    GrantVerifier(Fence fence, Optional<Predicate<Sequencer>> store, int capacity, Ticker clock) {
        this.fence = fence;
        this.store = store;
        this.clock = clock;
        this.confirmed = Collections.synchronizedMap(new LinkedHashMap<Sequencer, Long>() {

            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Sequencer, Long> eldest) {
                return size() > capacity;
            }
        });
    }

    /**
     * Returns only if a request with this grant may proceed.
     *
     * @throws LockRequirementException 412 if it may not, 503 if the check failed
     */
    void verify(Sequencer grant) {
        boolean current;
        try {
            current = isConfirmed(grant);
            if (current) {
                fence.advance(grant);
            }
        } catch (StaleFencingTokenException stale) {
            throw LockRequirementException.stale(Optional.of(stale));
        } catch (LockException | NestedRuntimeException silent) {
            log.warn("A request was refused because its lock could not be checked: {}", silent.toString());
            throw LockRequirementException.unavailable(silent);
        }
        if (!current) {
            throw LockRequirementException.stale(Optional.empty());
        }
    }

    private boolean isConfirmed(Sequencer grant) {
        if (store.isEmpty()) {
            return true;
        }
        long asked = clock.nanos();
        Long before = confirmed.get(grant);
        if (before != null && asked - before < CONFIRMED_NANOS) {
            return true;
        }
        boolean current = store.get().test(grant);
        if (current) {
            confirmed.put(grant, asked);
        }
        return current;
    }
}
