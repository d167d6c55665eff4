package io.distlock.spring.observation;

import io.micrometer.observation.Observation;

/**
 * An observation under way.
 *
 * @param context its context, which the observation itself does not give back where nobody observes
 */
record Started(Observation observation, LockObservationContext context) {

    void end(String outcome) {
        context.end(outcome);
        observation.stop();
    }
}
