package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.spring.DistributedLock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/** The annotation's texts, with placeholders resolved, and its times on top of the client's options. */
final class LockAttributes {

    private static final String CURE = "Change the annotation, or the properties distributed-lock.*";

    /** Times that go with any single other time, so that each is judged by itself first. */
    private static final LockOptions LENIENT =
            LockOptions.defaults().withRenew(false).withMaxHoldTime(LockOptions.MAX_HOLD);

    private final MergedAnnotation<DistributedLock> annotation;
    private final StringValueResolver resolver;
    private final ProblemCollector problems;

    LockAttributes(
            MergedAnnotation<DistributedLock> annotation, StringValueResolver resolver, ProblemCollector problems) {
        this.annotation = annotation;
        this.resolver = resolver;
        this.problems = problems;
    }

    /** The text; empty if it is wrong, which is collected as a problem. */
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
        // Outside Spring Boot the resolver may leave unknown placeholders as they are.
        if (resolved.contains("${")) {
            throw new IllegalArgumentException("Could not resolve placeholder in value \"" + written + "\"");
        }
        return resolved;
    }

    private Optional<Duration> duration(String attribute) {
        return text(attribute)
                .filter(text -> !text.isEmpty())
                .flatMap(text -> problems.trying(
                        attribute,
                        "Write it as 500ms, 2s, 1m, PT2S or ${some.property}",
                        () -> DurationStyle.detectAndParse(text)));
    }

    /** The options; empty if something is wrong with them, which is collected as problems. */
    Optional<LockOptions> options(Optional<LockClient> client) {
        LockOptions base = client.map(LockClient::options).orElseGet(LockOptions::defaults);
        int before = problems.found().size();
        boolean renew = annotation.getBoolean("renew");
        Duration wait = time("waitTime", base.waitTime(), LockOptions::withWaitTime);
        Duration lease = time("leaseTime", base.leaseTime(), LockOptions::withLeaseTime);
        Duration maxHold = time("maxHoldTime", base.maxHoldTime(), LockOptions::withMaxHoldTime);
        Duration minHold = time("minHoldTime", base.minHoldTime(), LockOptions::withMinHoldTime);
        Duration delay = time("lockDelay", base.lockDelay(), LockOptions::withLockDelay);
        if (problems.found().size() > before) {
            return Optional.empty();
        }
        return problems.trying(
                        "leaseTime, maxHoldTime, renew",
                        CURE,
                        () -> new LockOptions(wait, lease, renew && base.renew(), maxHold, minHold, delay))
                .flatMap(options ->
                        problems.trying("leaseTime, minHoldTime, lockDelay", CURE, () -> grantable(options, client)));
    }

    /** Asks the provider now, which would refuse each call otherwise. */
    private static LockOptions grantable(LockOptions options, Optional<LockClient> client) {
        client.ifPresent(each -> each.validate(options));
        return options;
    }

    private Duration time(
            String attribute, Duration otherwise, BiFunction<LockOptions, Duration, LockOptions> asOnlyOption) {
        Optional<Duration> given = duration(attribute);
        given.ifPresent(time -> problems.trying(attribute, CURE, () -> asOnlyOption.apply(LENIENT, time)));
        return given.orElse(otherwise);
    }
}
