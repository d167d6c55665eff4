package io.distlock.spring.observation;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.InstrumentedLockClient;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.observation.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
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
        String provider = client.provider();
        return registry == ObservationRegistry.NOOP
                ? client
                : new InstrumentedLockClient(client, request -> begin(provider, request));
    }

    private InstrumentedLockClient.CallListener begin(String provider, LockRequest request) {
        Observation parent = registry.getCurrentObservation();
        return new ObservedCall(
                start(context(Phase.WAIT, provider, request), parent),
                () -> start(context(Phase.HOLD, provider, request), parent));
    }

    private LockObservationContext context(Phase phase, String provider, LockRequest request) {
        return new LockObservationContext(
                phase, provider, names.of(request.keys().get(0).name()), request);
    }

    private Started start(LockObservationContext context, @Nullable Observation parent) {
        Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, registry);
        return new Started((parent == null ? observation : observation.parentObservation(parent)).start(), context);
    }

    /** With its context, which the observation itself does not return if nobody observes. */
    private record Started(Observation observation, LockObservationContext context)
            implements InstrumentedLockClient.HoldListener {

        void end(String outcome) {
            context.end(outcome);
            observation.stop();
        }

        @Override
        public void released(Release outcome) {
            end(outcome.name().toLowerCase(Locale.ROOT));
        }

        @Override
        public void lost(LockLoss loss) {
            observation.error(new LockLostException(loss));
            end("lost");
        }
    }

    /** The observation of one wait and, once the lock is granted, of the time it is held. */
    private record ObservedCall(Started waiting, Supplier<Started> hold)
            implements InstrumentedLockClient.CallListener {

        @Override
        public InstrumentedLockClient.HoldListener granted(HeldLock held) {
            waiting.context().granted(held.sequencers());
            waiting.end("acquired");
            Started observed = hold.get();
            observed.context().granted(held.sequencers());
            return observed;
        }

        /** Not an error: excluding others is what the lock is for. */
        @Override
        public void notAcquired() {
            waiting.end("not_acquired");
        }

        @Override
        public void failed(Throwable cause) {
            waiting.observation().error(cause);
            waiting.end(
                    cause instanceof CancellationException || cause instanceof LockInterruptedException
                            ? "cancelled"
                            : "unavailable");
        }
    }
}
