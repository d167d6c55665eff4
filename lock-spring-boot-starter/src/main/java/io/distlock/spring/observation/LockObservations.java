package io.distlock.spring.observation;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.observation.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call for a lock, and each granted lock, as two sibling observations under the caller's current one: a
 * trace shows how long the call waited and how long it held the lock. Thread-safe.
 *
 * @param convention replaces the default and those of the registry, if given
 */
record LockObservations(
        ObservationRegistry registry, @Nullable LockObservationConvention convention, MeterNameLimiter names)
        implements LockClientCustomizer {

    private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

    @Override
    public LockClient customize(LockClient client) {
        if (registry != ObservationRegistry.NOOP) {
            client.addRequestListener(
                    request -> MeterNameLimiter.isOfARole(request.keys().get(0))
                            ? new LockListener.OfRequest() {}
                            : new ObservedRequest(client.provider(), request));
        }
        return client;
    }

    /** With its context, which the observation itself does not return if nobody observes. */
    private record Started(Observation observation, LockObservationContext context) {

        void end(String outcome, @Nullable Throwable error) {
            if (error != null) {
                observation.error(error);
            }
            context.end(outcome);
            observation.stop();
        }
    }

    /** The wait of one request and, once the lock is granted, the time it is held. */
    private final class ObservedRequest implements LockListener.OfRequest {

        private final String provider;
        private final LockRequest request;
        private final @Nullable Observation parent = registry.getCurrentObservation();

        // Of the wait, then of the time held. Replaced before the caller receives the lock.
        private Started current;

        ObservedRequest(String provider, LockRequest request) {
            this.provider = provider;
            this.request = request;
            this.current = start(Phase.WAIT);
        }

        private Started start(Phase phase) {
            LockObservationContext context = new LockObservationContext(
                    phase, provider, names.of(request.keys().get(0).name()), request);
            Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, registry);
            return new Started((parent == null ? observation : observation.parentObservation(parent)).start(), context);
        }

        @Override
        public void granted(HeldLock lock) {
            current.context().granted(lock.sequencers());
            try {
                current.end("acquired", null);
            } finally {
                // Even if a handler failed.
                current = start(Phase.HOLD);
                current.context().granted(lock.sequencers());
            }
        }

        /** Not an error: excluding others is what the lock is for. */
        @Override
        public void notAcquired() {
            current.end("not_acquired", null);
        }

        @Override
        public void failed(Throwable cause) {
            boolean givenUp = cause instanceof CancellationException || cause instanceof LockInterruptedException;
            current.end(givenUp ? "cancelled" : "unavailable", cause);
        }

        @Override
        public void released(Release outcome) {
            current.end(outcome.name().toLowerCase(Locale.ROOT), null);
        }

        @Override
        public void lost(LockLoss loss) {
            current.end("lost", new LockLostException(loss));
        }
    }
}
