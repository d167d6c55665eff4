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
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.KeyValues;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/** Makes a {@link LockOperation} of an annotation, or says all that is wrong with it. Thread-safe. */
final class LockOperationParser {

    private static final String NO_SKIP_CURE = "Return a type that may be empty, such as an Optional, or use THROW";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockClients> clients;
    private final CallExpressions expressions;
    private final ResultTypes resultTypes;

    LockOperationParser(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockClients> clients, Executions executions) {
        this.resultTypes = new ResultTypes(executions);
        this.beans = beans;
        this.clients = clients;
        this.expressions = new CallExpressions(beans);
    }

    LockPlan parse(LockedMethod method) {
        Problems problems = new Problems(method);
        MethodResults results = resultTypes.check(method, problems);
        List<LockOperation> operations = method.annotations().stream()
                .flatMap(annotation -> operation(method, annotation, results, problems).stream())
                .toList();
        problems.throwIfAny();
        return new LockPlan(results, operations);
    }

    /** One lock; absent if something is wrong with it, which has been noted then. */
    private Optional<LockOperation> operation(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            MethodResults results,
            Problems problems) {
        TextAttributes texts = new TextAttributes(annotation, beans::resolveEmbeddedValue, problems);
        Optional<LockClient> client = client(texts, problems);
        Optional<LockOptions> options = OptionAttributes.read(texts, annotation.getBoolean("renew"), client, problems);
        Optional<String> name = name(method, texts, problems);
        Optional<Function<LockedCall, List<LockKey>>> keys = keys(method, annotation, name, problems);
        Optional<Predicate<LockedCall>> condition = condition(method, annotation, problems);
        Optional<Refusals> refusals = refusals(method, annotation, results, problems);
        if (client.isEmpty()
                || name.isEmpty()
                || options.isEmpty()
                || keys.isEmpty()
                || condition.isEmpty()
                || refusals.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new LockOperation(
                client.get(),
                name.get(),
                keys.get(),
                annotation.getEnum("mode", LockMode.class),
                options.get(),
                condition.get(),
                annotation.getEnum("onLost", OnLost.class),
                refusals.get()));
    }

    private Optional<LockClient> client(TextAttributes texts, Problems problems) {
        String provider = texts.text("provider").orElse("");
        LockClients known = clients.getObject();
        try {
            return Optional.of(provider.isEmpty() ? known.primary() : known.get(provider));
        } catch (UnknownLockProviderException unknown) {
            problems.add(
                    "provider",
                    String.valueOf(unknown.getMessage()),
                    "Name one of these, or add and configure the module that brings it; beside another default provider,"
                            + " redis, redlock and etcd must be switched on: distributed-lock.<its name>.enabled=true");
            return Optional.empty();
        }
    }

    private static Optional<String> name(LockedMethod method, TextAttributes texts, Problems problems) {
        return texts.text("name")
                .map(text -> text.isEmpty() ? method.defaultName() : text)
                .flatMap(text -> problems.trying(
                        "name",
                        "Give a name that a lock can have",
                        () -> LockKey.of(text).name()));
    }

    private Optional<Function<LockedCall, List<LockKey>>> keys(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            Optional<String> name,
            Problems problems) {
        // Not resolved: "$" and "{" have a meaning of their own in an expression.
        String expression = annotation.getString("key");
        if (expression.isBlank()) {
            return name.map(LockKey::of).map(List::of).map(fixed -> call -> fixed);
        }
        Optional<CallExpression> parsed = expressions.parse("key", expression, method, problems);
        return name.flatMap(text -> parsed.map(key -> call -> key.evaluate(call, value -> keys(text, value))));
    }

    private static List<LockKey> keys(String name, @Nullable Object value) {
        return KeyValues.texts(value).stream()
                .map(text -> LockKey.of(name, text))
                .toList();
    }

    private Optional<Predicate<LockedCall>> condition(
            LockedMethod method, MergedAnnotation<DistributedLock> annotation, Problems problems) {
        String expression = annotation.getString("condition");
        if (expression.isBlank()) {
            return Optional.of(call -> true);
        }
        return expressions
                .parse("condition", expression, method, problems)
                .map(condition -> call -> condition.evaluate(call, LockOperationParser::truth));
    }

    private static Boolean truth(@Nullable Object value) {
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw new IllegalArgumentException("it gave " + value + ", which is neither true nor false");
    }

    private static Optional<Refusals> refusals(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            MethodResults results,
            Problems problems) {
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
            case THROW -> Optional.of(Refusals.THROW);
            case SKIP -> {
                results.noSkip().ifPresent(why -> problems.add("onNotAcquired", why, NO_SKIP_CURE));
                yield Optional.of(Refusals.skip(results.skipped()));
            }
            case FALLBACK ->
                FallbackFinder.find(method, fallback.strip(), problems).map(Refusals::fallback);
        };
    }
}
