package io.distlock.spring.observation;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.BoundedNames;
import io.distlock.spring.client.FollowedCall;
import io.distlock.spring.client.FollowedLockClient;
import io.distlock.spring.observation.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call for a lock, and each lock that is granted, as two observations beside each other under whatever is
 * observed where the call is made: a trace says for how long was waited, and for how long it was held. Thread-safe.
 */
public final class LockObservations implements LockClientCustomizer {

    private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

    private final ObservationRegistry registry;
    private final @Nullable LockObservationConvention convention;
    private final BoundedNames names;

    /**
     * @param convention instead of the default and of what the registry has, if given
     * @param declared whether a name stands in an annotation
     */
    public LockObservations(
            ObservationRegistry registry, @Nullable LockObservationConvention convention, Predicate<String> declared) {
        this.registry = registry;
        this.convention = convention;
        this.names = new BoundedNames(declared);
    }

    @Override
    public LockClient customize(LockClient client) {
        String provider = client.provider();
        return registry == ObservationRegistry.NOOP
                ? client
                : new FollowedLockClient(client, request -> begin(provider, request));
    }

    private FollowedCall begin(String provider, LockRequest request) {
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
}
