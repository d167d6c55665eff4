package io.distlock.etcd.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if etcd is the chosen provider, or none is chosen, or it is switched on beside the chosen one. */
final class OnEtcdLocks extends SpringBootCondition {

    private static final String PROVIDER = "distributed-lock.provider";
    private static final String ENABLED = "distributed-lock.etcd.enabled";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("etcd locks");
        Boolean enabled = environment.getProperty(ENABLED, Boolean.class);
        if (enabled != null) {
            return new ConditionOutcome(enabled, message.because(ENABLED + " is " + enabled));
        }
        String provider = environment.getProperty(PROVIDER, "");
        boolean chosen = provider.isEmpty() || provider.equals("etcd");
        return new ConditionOutcome(chosen, message.because(PROVIDER + " is '" + provider + "'"));
    }
}
