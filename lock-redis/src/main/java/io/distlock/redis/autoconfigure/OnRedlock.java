package io.distlock.redis.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if Redlock is the chosen provider, or none is chosen and it has nodes, or it is switched on beside another. */
final class OnRedlock extends SpringBootCondition {

    private static final String PROVIDER = "distributed-lock.provider";
    private static final String ENABLED = "distributed-lock.redlock.enabled";
    private static final String NODES = "distributed-lock.redlock.nodes";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("Redlock");
        Boolean enabled = environment.getProperty(ENABLED, Boolean.class);
        if (enabled != null) {
            return new ConditionOutcome(enabled, message.because(ENABLED + " is " + enabled));
        }
        String provider = environment.getProperty(PROVIDER, "");
        boolean nodes = environment.containsProperty(NODES) || environment.containsProperty(NODES + "[0]");
        boolean chosen = provider.equals("redlock") || (provider.isEmpty() && nodes);
        return new ConditionOutcome(
                chosen, message.because(PROVIDER + " is '" + provider + "', " + (nodes ? "nodes" : "no nodes")));
    }
}
