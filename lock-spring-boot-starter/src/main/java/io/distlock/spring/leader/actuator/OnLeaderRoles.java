package io.distlock.spring.leader.actuator;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether the properties declare a role: without one there is nothing to show. */
final class OnLeaderRoles extends SpringBootCondition {

    private static final String ROLES = "distributed-lock.leader.roles";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean declared = Binder.get(context.getEnvironment())
                .bind(ROLES, Bindable.mapOf(String.class, Object.class))
                .map(Map::isEmpty)
                .map(none -> !none)
                .orElse(false);
        ConditionMessage.Builder message = ConditionMessage.forCondition("Leader roles");
        return declared
                ? ConditionOutcome.match(message.foundExactly(ROLES))
                : ConditionOutcome.noMatch(message.because("there is no property " + ROLES + ".<role>.*"));
    }
}
