package io.distlock.spring.interceptor;

import io.distlock.spring.DistributedLock;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/** The annotation's attributes that are texts, with their placeholders resolved. */
final class TextAttributes {

    private final MergedAnnotation<DistributedLock> annotation;
    private final StringValueResolver resolver;
    private final Problems problems;

    TextAttributes(MergedAnnotation<DistributedLock> annotation, StringValueResolver resolver, Problems problems) {
        this.annotation = annotation;
        this.resolver = resolver;
        this.problems = problems;
    }

    /** The text; absent if it is wrong, which has been noted then. */
    Optional<String> text(String attribute) {
        String written = annotation.getString(attribute);
        Optional<String> text = problems.trying(
                attribute, "Define the property, or give a default: ${property:default}", () -> resolve(written));
        return text.map(String::strip);
    }

    private String resolve(String written) {
        String resolved = resolver.resolveStringValue(written);
        if (resolved == null) {
            return "";
        }
        // Outside of Spring Boot the resolver may be one that leaves alone what it does not know.
        if (resolved.contains("${")) {
            throw new IllegalArgumentException("Could not resolve placeholder in value \"" + written + "\"");
        }
        return resolved;
    }

    /** The time; absent if none is given, or if it is wrong, which has been noted then. */
    Optional<Duration> duration(String attribute) {
        return text(attribute)
                .filter(text -> !text.isEmpty())
                .flatMap(text -> problems.trying(
                        attribute,
                        "Write it as 500ms, 2s, 1m, PT2S or ${some.property}",
                        () -> DurationStyle.detectAndParse(text)));
    }
}
