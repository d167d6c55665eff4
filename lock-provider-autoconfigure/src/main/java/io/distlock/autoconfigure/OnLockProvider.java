package io.distlock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Enabled, else chosen, else none is chosen and it could work. */
final class OnLockProvider extends SpringBootCondition {

    private static final String CHOSEN = "distributed-lock.provider";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        MergedAnnotation<ConditionalOnLockProvider> provider =
                metadata.getAnnotations().get(ConditionalOnLockProvider.class);
        String name = provider.getString("value");
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("Lock provider '" + name + "'");
        String property = "distributed-lock." + name + ".enabled";
        BindResult<Boolean> enabled = Binder.get(environment).bind(property, Boolean.class);
        if (enabled.isBound()) {
            return new ConditionOutcome(enabled.get(), message.because(property + " is " + enabled.get()));
        }
        String chosen = environment.getProperty(CHOSEN, "");
        if (!chosen.isEmpty()) {
            return new ConditionOutcome(
                    chosen.equalsIgnoreCase(name), message.because(CHOSEN + " is '" + chosen + "'"));
        }
        String needed = provider.getString("needs");
        boolean given = needed.isEmpty()
                || environment.containsProperty(needed)
                // The first of a list.
                || environment.containsProperty(needed + "[0]");
        return new ConditionOutcome(
                given, message.because(CHOSEN + " is not set" + (given ? "" : ", and neither is " + needed)));
    }
}
