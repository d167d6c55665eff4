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

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockClients> clients;
    private final CallExpressions expressions;
    private final ResultTypes resultTypes = new ResultTypes();

    LockOperationParser(ConfigurableListableBeanFactory beans, ObjectProvider<LockClients> clients) {
        this.beans = beans;
        this.clients = clients;
        this.expressions = new CallExpressions(beans);
    }

    LockOperation parse(LockedMethod method) {
        Problems problems = new Problems(method);
        MergedAnnotation<DistributedLock> annotation = method.annotation();
        TextAttributes texts = new TextAttributes(annotation, beans::resolveEmbeddedValue, problems);
        OnNotAcquired onNotAcquired = annotation.getEnum("onNotAcquired", OnNotAcquired.class);
        MethodResults results = resultTypes.check(method, onNotAcquired, problems);
        Optional<LockClient> client = client(texts, problems);
        Optional<LockOptions> options = OptionAttributes.read(
                texts,
                annotation.getBoolean("renew"),
                client.map(LockClient::options).orElseGet(LockOptions::defaults),
                problems);
        Optional<Function<LockedCall, List<LockKey>>> keys = keys(method, texts, problems);
        Optional<Predicate<LockedCall>> condition = condition(method, problems);
        Optional<Refusals> refusals = refusals(method, onNotAcquired, results, problems);
        problems.throwIfAny();
        return new LockOperation(
                client.orElseThrow(),
                keys.orElseThrow(),
                annotation.getEnum("mode", LockMode.class),
                options.orElseThrow(),
                condition.orElseThrow(),
                annotation.getEnum("onLost", OnLost.class),
                refusals.orElseThrow(),
                results);
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
                    "Name one of these, or add and configure the module that brings it");
            return Optional.empty();
        }
    }

    private Optional<Function<LockedCall, List<LockKey>>> keys(
            LockedMethod method, TextAttributes texts, Problems problems) {
        Optional<String> name = texts.text("name")
                .map(text -> text.isEmpty() ? method.defaultName() : text)
                .flatMap(text -> problems.trying(
                        "name",
                        "Give a name that a lock can have",
                        () -> LockKey.of(text).name()));
        // Not resolved: "$" and "{" have a meaning of their own in an expression.
        String expression = method.annotation().getString("key");
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

    private Optional<Predicate<LockedCall>> condition(LockedMethod method, Problems problems) {
        String expression = method.annotation().getString("condition");
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
            LockedMethod method, OnNotAcquired onNotAcquired, MethodResults results, Problems problems) {
        String fallback = method.annotation().getString("fallbackMethod");
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
            case SKIP -> Optional.of(Refusals.skip(results.skipped()));
            case FALLBACK ->
                FallbackFinder.find(method, fallback.strip(), problems).map(Refusals::fallback);
        };
    }
}
