package io.distlock.spring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses times without a unit: Spring Boot reads a bare number as milliseconds, and hardly anybody means that. */
final class UnitsRequired extends AbstractBindHandler {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("distributed-lock");

    UnitsRequired(BindHandler parent) {
        super(parent);
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (result instanceof Duration time && !time.isZero() && OURS.isAncestorOf(name)) {
            // As it was written, its placeholders resolved.
            context.getBinder().bind(name, Bindable.of(String.class)).ifBound(text -> {
                if (text.matches("\\d+")) {
                    throw new InvalidConfigurationPropertyValueException(
                            name.toString(),
                            text,
                            "it has no unit: write " + text + "s for seconds, or " + text + "ms");
                }
            });
        }
        return super.onSuccess(name, target, context, result);
    }
}
