package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.OnLost;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.UnknownLockProviderException;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/**
 * Reads the attributes of one annotation, with placeholders resolved, and its times on top of the client's options; makes
 * the {@link NotAcquiredHandler} that the annotation chooses. A wrong attribute is empty and recorded as a problem.
 */
final class LockAttributes {

    private static final String CURE = "Change the annotation, or the properties distributed-lock.*";
    private static final String NO_SKIP_CURE = "Return a type that may be empty, such as an Optional, or use THROW";

    /** Times valid with any single other time, so that each is checked by itself first. */
    private static final LockOptions LENIENT =
            LockOptions.defaults().withRenew(false).withMaxHoldTime(LockOptions.MAX_HOLD);

    private final LockedMethod method;
    private final MergedAnnotation<DistributedLock> annotation;
    private final StringValueResolver resolver;
    private final LockExpressions expressions;
    private final ProblemCollector problems;

    LockAttributes(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            StringValueResolver resolver,
            LockExpressions expressions,
            ProblemCollector problems) {
        this.method = method;
        this.annotation = annotation;
        this.resolver = resolver;
        this.expressions = expressions;
        this.problems = problems;
    }

    Optional<LockOperation.Lock> lock(LockClients clients, ReturnTypes.Handling returns) {
        Optional<LockClient> client = client(clients);
        Optional<LockOptions> options = options(client);
        Optional<String> name = name();
        Optional<Function<LockOperation.Call, List<LockKey>>> keys = keys(name);
        Optional<Predicate<LockOperation.Call>> condition = condition();
        Optional<Function<LockOperation.Call, NotAcquiredHandler>> notAcquired = notAcquired(returns);
        if (Stream.of(client, options, name, keys, condition, notAcquired).anyMatch(Optional::isEmpty)) {
            return Optional.empty();
        }
        return Optional.of(new LockOperation.Lock(
                client.get(),
                name.get(),
                keys.get(),
                annotation.getEnum("mode", LockMode.class),
                options.get(),
                condition.get(),
                annotation.getEnum("onLost", OnLost.class) == OnLost.INTERRUPT,
                notAcquired.get()));
    }

    private Optional<LockClient> client(LockClients clients) {
        String provider = text("provider").orElse("");
        try {
            return Optional.of(provider.isEmpty() ? clients.primary() : clients.get(provider));
        } catch (UnknownLockProviderException unknown) {
            problems.add(
                    "provider",
                    String.valueOf(unknown.getMessage()),
                    "Name one of these, or add and configure the module that brings it; beside another default provider,"
                            + " redis, redlock and etcd must be switched on: distributed-lock.<its name>.enabled=true");
            return Optional.empty();
        }
    }

    private Optional<String> name() {
        return text("name")
                .map(text -> text.isEmpty() ? method.defaultName() : text)
                .flatMap(text -> problems.trying(
                        "name",
                        "Give a name that a lock can have",
                        () -> LockKey.of(text).name()));
    }

    private Optional<Function<LockOperation.Call, List<LockKey>>> keys(Optional<String> name) {
        // Not resolved: "$" and "{" have their own meaning in an expression.
        String expression = annotation.getString("key");
        if (expression.isBlank()) {
            return name.map(LockKey::of).map(List::of).map(fixed -> call -> fixed);
        }
        Optional<LockExpressions.LockExpression> parsed = expressions.parse("key", expression, method, problems);
        return name.flatMap(text -> parsed.map(key -> call -> key.evaluate(call, value -> LockTask.keys(text, value))));
    }

    private Optional<Predicate<LockOperation.Call>> condition() {
        String expression = annotation.getString("condition");
        if (expression.isBlank()) {
            return Optional.of(call -> true);
        }
        return expressions
                .parse("condition", expression, method, problems)
                .map(condition -> call -> condition.evaluate(call, LockAttributes::truth));
    }

    private static Boolean truth(@Nullable Object value) {
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw new IllegalArgumentException("it gave " + value + ", which is neither true nor false");
    }

    private Optional<Function<LockOperation.Call, NotAcquiredHandler>> notAcquired(ReturnTypes.Handling returns) {
        OnNotAcquired onNotAcquired = annotation.getEnum("onNotAcquired", OnNotAcquired.class);
        String fallback = annotation.getString("fallbackMethod");
        boolean isFallback = onNotAcquired == OnNotAcquired.FALLBACK;
        if (isFallback == fallback.isBlank()) {
            problems.add(
                    isFallback ? "onNotAcquired" : "fallbackMethod",
                    isFallback ? "FALLBACK without a fallbackMethod" : "'" + fallback + "' would never be called",
                    "Give both onNotAcquired = FALLBACK and a fallbackMethod, or neither");
            return Optional.empty();
        }
        return switch (onNotAcquired) {
            case THROW -> Optional.of(call -> NotAcquiredHandler.THROW);
            case SKIP -> {
                returns.noSkip().ifPresent(why -> problems.add("onNotAcquired", why, NO_SKIP_CURE));
                NotAcquiredHandler skip = NotAcquiredHandler.ifNotAcquired(
                        why -> returns.skipped().get());
                yield Optional.of(call -> skip);
            }
            case FALLBACK -> FallbackMethodResolver.resolve(method, fallback.strip(), problems);
        };
    }

    private Optional<LockOptions> options(Optional<LockClient> client) {
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

    /** Asks the provider now, which would otherwise refuse each call. */
    private static LockOptions grantable(LockOptions options, Optional<LockClient> client) {
        client.ifPresent(each -> each.validate(options));
        return options;
    }

    private Duration time(
            String attribute, Duration otherwise, BiFunction<LockOptions, Duration, LockOptions> asOnlyOption) {
        Optional<Duration> given = text(attribute)
                .filter(text -> !text.isEmpty())
                .flatMap(text -> problems.trying(
                        attribute,
                        "Write it as 500ms, 2s, 1m, PT2S or ${some.property}",
                        () -> DurationStyle.detectAndParse(text)));
        given.ifPresent(time -> problems.trying(attribute, CURE, () -> asOnlyOption.apply(LENIENT, time)));
        return given.orElse(otherwise);
    }

    private Optional<String> text(String attribute) {
        return problems.trying(
                        attribute,
                        "Define the property, or give a default: ${property:default}",
                        () -> resolve(annotation.getString(attribute)))
                .map(String::strip);
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
}
