package io.distlock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains a property {@code distributed-lock.*} that cannot be read or breaks a rule: the property, the value, the
 * reason and the fix, without the types it should bind to. Runs before Boot's own analysis of the same failure.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final String OURS = "distributed-lock";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        String name = cause.getName().toString();
        if (!name.equals(OURS) && !name.startsWith(LockProperties.PREFIX)) {
            return null;
        }
        InvalidConfigurationPropertyValueException broken =
                findCause(cause, InvalidConfigurationPropertyValueException.class);
        if (broken != null) {
            return analysis(
                    broken.getName(), String.valueOf(broken.getValue()), String.valueOf(broken.getReason()), cause);
        }
        ConfigurationProperty property = cause.getProperty();
        String value = property == null ? "" : String.valueOf(property.getValue());
        return analysis(name, value, rootMessage(cause), cause);
    }

    private static FailureAnalysis analysis(String property, String value, String reason, Throwable cause) {
        return new FailureAnalysis(
                "The property " + property + (value.isEmpty() ? "" : " = \"" + value + "\"") + " cannot be used: "
                        + reason,
                "Correct " + property + ". Times are written as 500ms, 30s, 5m, 1h or PT30S.",
                cause);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
