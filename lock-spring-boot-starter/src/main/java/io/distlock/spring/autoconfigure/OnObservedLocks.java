package io.distlock.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Whether a property asks for observations or, if it says nothing, there is a tracer. */
final class OnObservedLocks extends AnyNestedCondition {

    private static final String ENABLED = LockProperties.PREFIX + "observations.enabled";

    OnObservedLocks() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty(ENABLED)
    static final class Asked {}

    @ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
    @ConditionalOnBean(type = "io.micrometer.tracing.Tracer")
    static final class Traced {}
}
