package io.distlock.spring.autoconfigure;

import io.distlock.LockOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Explains a property {@code distributed-lock.*} that cannot be read or breaks a rule: the property, the value, the
 * reason and the fix, without the types it should bind to. Runs before Boot's own analysis of the same failure.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {

    /** How the message begins that a provider gives where a value must not be shown. */
    private static final String HIDDEN = "The property " + LockProperties.PREFIX;

    private final Environment environment;

    LockPropertyFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String message = String.valueOf(each.getMessage());
            if (message.startsWith(HIDDEN)) {
                return new FailureAnalysis(message, "Correct " + message.split(" ", -1)[2] + ".", failure);
            }
        }
        InvalidConfigurationPropertyValueException broken =
                findCause(failure, InvalidConfigurationPropertyValueException.class);
        if (broken != null && isOurs(broken.getName())) {
            Object value = broken.getValue();
            // As it was written.
            String text = environment.getProperty(
                    broken.getName(), value instanceof Duration time ? LockOptions.text(time) : String.valueOf(value));
            return analysis(
                    broken.getName(), text, String.valueOf(broken.getReason()), value instanceof Duration, failure);
        }
        BindException unreadable = findCause(failure, BindException.class);
        if (unreadable == null || !isOurs(unreadable.getName().toString())) {
            return null;
        }
        ConfigurationProperty property = unreadable.getProperty();
        Class<?> type = unreadable.getTarget().getType().resolve(Object.class);
        return analysis(
                unreadable.getName().toString(),
                property == null ? null : String.valueOf(property.getValue()),
                reason(type, unreadable),
                type == Duration.class,
                failure);
    }

    private static boolean isOurs(String property) {
        return (property + '.').startsWith(LockProperties.PREFIX);
    }

    private static FailureAnalysis analysis(
            String property, @Nullable String value, String reason, boolean isTime, Throwable cause) {
        return new FailureAnalysis(
                "The property " + property + (value == null ? "" : " = \"" + value + "\"") + " cannot be used: "
                        + reason,
                "Correct " + property + "." + (isTime ? " Times are written as 500ms, 30s, 5m, 1h or PT30S." : ""),
                cause);
    }

    private static String reason(Class<?> type, BindException unreadable) {
        if (type.isEnum()) {
            return "choose one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(each ->
                                    each.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .collect(Collectors.joining(", "));
        } else if (type == boolean.class || type == Boolean.class) {
            return "choose true or false";
        } else if (Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type))) {
            return "it is not a number";
        }
        return String.valueOf(
                NestedExceptionUtils.getMostSpecificCause(unreadable).getMessage());
    }
}
