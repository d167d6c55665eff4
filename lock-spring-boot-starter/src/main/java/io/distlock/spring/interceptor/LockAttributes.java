package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.LockClients;
import io.distlock.spring.OnLost;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.execution.BodyPolicy;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.KeyConverter;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/**
 * Reads the attributes of one annotation, with placeholders resolved, and its times on top of the client's options; makes
 * the {@link NotAcquiredHandler} that the annotation chooses. Whatever is wrong becomes a problem; the lock is then not used.
 */
record LockAttributes(
        LockedMethod method,
        MergedAnnotation<DistributedLock> annotation,
        StringValueResolver resolver,
        LockExpressions expressions,
        LockExpressions.Variables variables,
        ProblemCollector problems) {

    private static final String CURE = "Change the annotation, or the properties distributed-lock.*";

    /** Zero needs none. */
    private static final Pattern NO_UNIT = Pattern.compile("[+-]?0*[1-9][0-9]*");

    private static final Pattern VARIABLE = Pattern.compile("(#[A-Za-z_]\\w*)[\\w.]*");

    private static final String NO_SKIP_CURE = "Return a type that may be empty, such as an Optional, or use THROW";

    /** Times valid with any single other time, so that each is checked by itself first. */
    private static final LockOptions LENIENT =
            LockOptions.defaults().withRenew(false).withMaxHoldTime(LockOptions.MAX_HOLD);

    /** Checks the number of permits. */
    private static final LockRequest ANY = LockRequest.of(LENIENT, List.of(LockKey.of("any")));

    LockOperation.Lock lock(LockClients clients, ReturnTypes.Handling returns, Executions executions) {
        Optional<LockClient> client = client(clients);
        String name = name();
        LockMode mode = annotation.getEnum("mode", LockMode.class);
        int permits = permits(mode);
        return new LockOperation.Lock(
                client.orElseGet(clients::primary),
                name,
                keys(name, permits),
                mode,
                permits,
                options(client),
                condition(name),
                policy(method, annotation, executions, problems),
                notAcquired(returns));
    }

    /** What {@code onLost} and {@code fencing} say, which {@link LeaderAttributes} have as well. */
    static BodyPolicy policy(
            LockedMethod method, MergedAnnotation<?> annotation, Executions executions, ProblemCollector problems) {
        Fencing fencing = annotation.getEnum("fencing", Fencing.class);
        if (fencing == Fencing.ON) {
            executions.requireFence(
                    ReturnTypes.isReactive(method.method()), (problem, cure) -> problems.add("fencing", problem, cure));
        }
        return new BodyPolicy(annotation.getEnum("onLost", OnLost.class) == OnLost.INTERRUPT, fencing != Fencing.OFF);
    }

    private Optional<LockClient> client(LockClients clients) {
        String provider = text("provider");
        return problems.trying(
                "provider",
                "Name one of these, or add and configure the module that brings it; beside another default provider,"
                        + " one that a module brings must be switched on: distributed-lock.<its name>.enabled=true",
                () -> provider.isEmpty() ? clients.primary() : clients.get(provider));
    }

    private String name() {
        String text = text("name");
        Matcher variable = VARIABLE.matcher(text);
        boolean varies = variable.find();
        boolean isKnown = varies && variables.known().contains(variable.group(1));
        if (isKnown || text.contains("#{") || (varies && variable.start() == 0)) {
            Stream<String> key = isKnown
                    ? Stream.of(variable.group())
                    : variables.arguments().keySet().stream().map("#"::concat);
            problems.add(
                    "name",
                    "\"" + text + "\" is an expression, but lock names are fixed text",
                    "Give a fixed name, without #"
                            + key.findFirst()
                                    .map(each -> ", and put the part that varies into the key: key = \"" + each + "\"")
                                    .orElse(""));
        }
        return problems.trying(
                        "name",
                        "Use a valid lock name",
                        () -> text.isEmpty()
                                ? method.defaultName()
                                : LockKey.of(text).name())
                .orElseGet(method::defaultName);
    }

    private int permits(LockMode mode) {
        String text = text("permits");
        if (text.isEmpty()) {
            return 1;
        }
        int permits = problems.trying("permits", "Write a whole number from 1 to 64, or ${some.property}", () -> {
                    int number = Integer.parseInt(text);
                    return ANY.withPermits(number).permits();
                })
                .orElse(1);
        if (permits > 1) {
            problems.trying(
                    "permits, mode",
                    "Remove one of the two",
                    () -> ANY.withPermits(permits).withMode(mode));
        }
        return permits;
    }

    private Function<LockOperation.Call, List<LockKey>> keys(String name, int permits) {
        // Not resolved: "$" and "{" have their own meaning in an expression.
        String expression = annotation.getString("key");
        if (expression.isBlank()) {
            List<LockKey> fixed = List.of(LockKey.of(name));
            return call -> fixed;
        }
        if (permits > 1 && variables.isOfSeveral(expression)) {
            problems.add(
                    "permits, key",
                    "\"" + expression + "\" has several items, but permits are those of one",
                    "Lock one item, or remove the permits");
        }
        return expressions.parse("key", expression, name, variables, value -> keys(name, value, permits), problems);
    }

    /** Checked here, where the message gets the name of the method. */
    private static List<LockKey> keys(String name, @Nullable Object value, int permits) {
        List<LockKey> keys = KeyConverter.keys(name, value);
        if (permits > 1) {
            LockRequest.of(LENIENT, keys).withPermits(permits);
        }
        return keys;
    }

    private Function<LockOperation.Call, Boolean> condition(String name) {
        String expression = annotation.getString("condition");
        return expression.isBlank()
                ? call -> true
                : expressions.parse("condition", expression, name, variables, LockAttributes::truth, problems);
    }

    private static Boolean truth(@Nullable Object value) {
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw new IllegalArgumentException("it evaluated to " + value + ", which is neither true nor false");
    }

    private Function<LockOperation.Call, NotAcquiredHandler> notAcquired(ReturnTypes.Handling returns) {
        OnNotAcquired chosen = annotation.getEnum("onNotAcquired", OnNotAcquired.class);
        String fallback = annotation.getString("fallbackMethod").strip();
        boolean isFallback = chosen == OnNotAcquired.FALLBACK;
        if (isFallback == fallback.isEmpty()) {
            problems.add(
                    isFallback ? "onNotAcquired" : "fallbackMethod",
                    isFallback ? "FALLBACK without a fallbackMethod" : "'" + fallback + "' would never be called",
                    "Give both onNotAcquired = FALLBACK and a fallbackMethod, or neither");
        } else if (isFallback) {
            return FallbackMethodResolver.resolve(method, fallback, problems);
        } else if (chosen == OnNotAcquired.SKIP) {
            returns.noSkip().ifPresent(why -> problems.add("onNotAcquired", why, NO_SKIP_CURE));
            // A store that does not answer still throws.
            NotAcquiredHandler.Immediate skip = why -> {
                if (why instanceof LockNotAcquiredException) {
                    return returns.skipped().get();
                }
                throw why;
            };
            return call -> skip;
        }
        return call -> NotAcquiredHandler.THROW;
    }

    private LockOptions options(Optional<LockClient> client) {
        LockOptions base = client.map(LockClient::options).orElseGet(LockOptions::defaults);
        int before = problems.found().size();
        boolean renew = annotation.getBoolean("renew") && base.renew();
        Duration wait = time("waitTime", base.waitTime(), LockOptions::withWaitTime);
        Duration lease = time("leaseTime", base.leaseTime(), LockOptions::withLeaseTime);
        Duration maxHold = time("maxHoldTime", base.maxHoldTime(), LockOptions::withMaxHoldTime);
        Duration minHold = time("minHoldTime", base.minHoldTime(), LockOptions::withMinHoldTime);
        Duration delay = time("lockDelay", base.lockDelay(), LockOptions::withLockDelay);
        if (problems.found().size() > before) {
            return base;
        }
        Optional<LockOptions> options = problems.trying(
                given("leaseTime", "maxHoldTime", "minHoldTime", "renew"),
                CURE,
                () -> new LockOptions(wait, lease, renew, maxHold, minHold, delay));
        // Asks the provider now, which would otherwise refuse each call.
        options.ifPresent(all -> problems.trying(given("leaseTime", "minHoldTime", "lockDelay"), CURE, () -> {
            client.ifPresent(each -> each.validate(all));
            return all;
        }));
        return options.orElse(base);
    }

    /** Those of these attributes that the annotation sets; all, if it sets none of them. */
    private String given(String... attributes) {
        String given =
                Stream.of(attributes).filter(annotation::hasNonDefaultValue).collect(Collectors.joining(", "));
        return given.isEmpty() ? String.join(", ", attributes) : given;
    }

    private Duration time(
            String attribute, Duration otherwise, BiFunction<LockOptions, Duration, LockOptions> asOnlyOption) {
        String text = text(attribute);
        if (text.isEmpty()) {
            return otherwise;
        }
        Optional<Duration> time =
                problems.trying(attribute, "Write it as 500ms, 2s, 1m, PT2S or ${some.property}", () -> duration(text));
        time.ifPresent(each -> problems.trying(attribute, CURE, () -> asOnlyOption.apply(LENIENT, each)));
        return time.orElse(otherwise);
    }

    private static Duration duration(String text) {
        if (NO_UNIT.matcher(text).matches()) {
            throw new IllegalArgumentException(text + " has no unit");
        }
        return DurationStyle.detectAndParse(text);
    }

    private String text(String attribute) {
        return problems.trying(
                        attribute,
                        "Define the property, or give a default: ${property:default}",
                        () -> resolve(annotation.getString(attribute)).strip())
                .orElse("");
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
