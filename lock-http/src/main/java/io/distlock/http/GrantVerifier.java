package io.distlock.http;

import io.distlock.LockException;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedRuntimeException;

/**
 * Decides whether a request's grant is genuine, and whether no later one has been used here. A header can be forged, and a
 * fence that accepted a forged large token would refuse all real holders. So a grant that is new here is passed to the fence
 * only after the lock store has confirmed it (Chubby's CheckSequencer): one call per grant, not per request. Thread-safe.
 */
final class GrantVerifier {

    private static final Logger log = LoggerFactory.getLogger(GrantVerifier.class);

    private final Fence fence;
    private final Optional<Predicate<Sequencer>> store;

    /** Bounded: a grant that was dropped is asked about again. */
    private final Set<Sequencer> confirmed;

    /**
     * @param store asks the lock store whether a grant is current; empty if all grants are authentic already
     * @param capacity how many confirmed grants to remember
     */
    GrantVerifier(Fence fence, Optional<Predicate<Sequencer>> store, int capacity) {
        this.fence = fence;
        this.store = store;
        this.confirmed = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<Sequencer, Boolean>() {

            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Sequencer, Boolean> eldest) {
                return size() > capacity;
            }
        }));
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
        if (store.isEmpty() || confirmed.contains(grant)) {
            return true;
        }
        boolean current = store.get().test(grant);
        if (current) {
            confirmed.add(grant);
        }
        return current;
    }
}
