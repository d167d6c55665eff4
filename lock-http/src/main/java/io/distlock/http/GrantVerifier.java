package io.distlock.http;

import io.distlock.LockException;
import io.distlock.LockUnavailableException;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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

    /** A fence could have forgotten a later token by then, while the request waited for a thread. */
    private static final long USABLE_NANOS = Duration.ofSeconds(45).toNanos();

    private static final long WARNING_NANOS = Duration.ofMinutes(1).toNanos();

    private final Fence fence;
    private final Optional<Function<Sequencer, CompletableFuture<Boolean>>> store;
    private final Ticker clock;

    private final AtomicLong nextWarning;

    /** When each was last asked about. Bounded: a grant that was dropped is asked about again. */
    private final Map<Sequencer, Long> confirmed;

    /**
     * @param store asks the lock store whether a grant is current; empty if all grants are authentic already
     * @param capacity how many confirmed grants to remember
     */
    GrantVerifier(
            Fence fence, Optional<Function<Sequencer, CompletableFuture<Boolean>>> store, int capacity, Ticker clock) {
        this.fence = fence;
        this.store = store;
        this.clock = clock;
        this.nextWarning = new AtomicLong(clock.nanos());
        this.confirmed = Collections.synchronizedMap(new LinkedHashMap<Sequencer, Long>() {

            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Sequencer, Long> eldest) {
                return size() > capacity;
            }
        });
    }

    /**
     * Whether a grant was current.
     *
     * @param askedNanos when it was asked, by the clock
     */
    record Confirmation(boolean current, long askedNanos) {}

    /**
     * Returns only if a request with this grant may proceed. Blocks, and calls the fence on this thread.
     *
     * @throws LockRequirementException 412 if it may not, 503 if the check failed
     */
    void verify(Sequencer grant) {
        Confirmation confirmation;
        try {
            confirmation = confirm(grant).get();
        } catch (ExecutionException failure) {
            throw refusal(Objects.requireNonNull(failure.getCause()));
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw LockRequirementException.unavailable(interrupt);
        }
        advance(grant, confirmation);
    }

    /** The first step, which does not block: whether the grant is authentic, or the lock store has confirmed it. */
    CompletableFuture<Confirmation> confirm(Sequencer grant) {
        long asked = clock.nanos();
        if (store.isEmpty()) {
            return CompletableFuture.completedFuture(new Confirmation(true, asked));
        }
        Long before = confirmed.get(grant);
        if (before != null && asked - before < CONFIRMED_NANOS) {
            return CompletableFuture.completedFuture(new Confirmation(true, before));
        }
        // Even if the client throws at once, the future fails.
        return CompletableFuture.completedFuture(grant).thenCompose(store.get()).thenApply(current -> {
            if (current) {
                confirmed.put(grant, asked);
            }
            return new Confirmation(current, asked);
        });
    }

    /** The second step, which may block: presents a confirmed grant to the fence, and refuses any other. */
    void advance(Sequencer grant, Confirmation confirmation) {
        if (!confirmation.current()) {
            throw LockRequirementException.stale(Optional.empty());
        }
        try {
            if (clock.nanos() - confirmation.askedNanos() > USABLE_NANOS) {
                throw new LockUnavailableException(
                        grant.key(),
                        Duration.ZERO,
                        "the request waited for too long after the lock was confirmed",
                        null);
            }
            fence.advance(grant);
        } catch (RuntimeException failure) {
            throw refusal(failure);
        }
    }

    /** What the sender of the request learns of a failed check. Anybody can send requests, so few of them are logged. */
    RuntimeException refusal(Throwable failure) {
        if (failure instanceof StaleFencingTokenException) {
            return LockRequirementException.stale(Optional.of(failure));
        } else if (failure instanceof LockException || failure instanceof NestedRuntimeException) {
            long now = clock.nanos();
            long next = nextWarning.get();
            if (now - next >= 0 && nextWarning.compareAndSet(next, now + WARNING_NANOS)) {
                log.warn(
                        "A request was refused because its lock could not be checked: {}; for {} s, others are logged at DEBUG",
                        failure.toString(),
                        Duration.ofNanos(WARNING_NANOS).toSeconds());
            } else {
                log.debug("A request was refused because its lock could not be checked", failure);
            }
            return LockRequirementException.unavailable(failure);
        }
        return failure instanceof RuntimeException bug ? bug : new IllegalStateException(failure);
    }
}
