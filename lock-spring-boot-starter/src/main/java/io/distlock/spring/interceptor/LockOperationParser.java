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
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/** Makes a {@link LockOperation} from annotations, or reports all their problems. Thread-safe. */
final class LockOperationParser {

    private static final String NO_SKIP_CURE = "Return a type that may be empty, such as an Optional, or use THROW";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockClients> clients;
    private final LockExpressions expressions;
    private final ReturnTypes returnTypes;

    LockOperationParser(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockClients> clients, Executions executions) {
        this.returnTypes = new ReturnTypes(executions);
        this.beans = beans;
        this.clients = clients;
        this.expressions = new LockExpressions(beans);
    }

    LockOperation parse(LockedMethod method) {
        ProblemCollector problems = new ProblemCollector(method);
        ReturnTypes.Handling returns = returnTypes.check(method, problems);
        List<LockOperation.Lock> locks = method.annotations().stream()
                .flatMap(annotation -> lock(method, annotation, returns, problems).stream())
                .toList();
        problems.throwIfAny();
        return new LockOperation(method.method(), returns, locks);
    }

    /** One lock; empty if something is wrong with it, which is collected as problems. */
    private Optional<LockOperation.Lock> lock(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            ReturnTypes.Handling returns,
            ProblemCollector problems) {
        LockAttributes attributes = new LockAttributes(annotation, beans::resolveEmbeddedValue, problems);
        Optional<LockClient> client = client(attributes, problems);
        Optional<LockOptions> options = attributes.options(client);
        Optional<String> name = name(method, attributes, problems);
        Optional<Function<LockOperation.Call, List<LockKey>>> keys = keys(method, annotation, name, problems);
        Optional<Predicate<LockOperation.Call>> condition = condition(method, annotation, problems);
        Optional<Function<LockOperation.Call, NotAcquiredHandler>> notAcquired =
                notAcquired(method, annotation, returns, problems);
        if (client.isEmpty()
                || name.isEmpty()
                || options.isEmpty()
                || keys.isEmpty()
                || condition.isEmpty()
                || notAcquired.isEmpty()) {
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

    private Optional<LockClient> client(LockAttributes attributes, ProblemCollector problems) {
        String provider = attributes.text("provider").orElse("");
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

    private static Optional<String> name(LockedMethod method, LockAttributes attributes, ProblemCollector problems) {
        return attributes
                .text("name")
                .map(text -> text.isEmpty() ? method.defaultName() : text)
                .flatMap(text -> problems.trying(
                        "name",
                        "Give a name that a lock can have",
                        () -> LockKey.of(text).name()));
    }

    private Optional<Function<LockOperation.Call, List<LockKey>>> keys(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            Optional<String> name,
            ProblemCollector problems) {
        // Not resolved: "$" and "{" have a meaning of their own in an expression.
        String expression = annotation.getString("key");
        if (expression.isBlank()) {
            return name.map(LockKey::of).map(List::of).map(fixed -> call -> fixed);
        }
        Optional<LockExpressions.LockExpression> parsed = expressions.parse("key", expression, method, problems);
        return name.flatMap(text -> parsed.map(key -> call -> key.evaluate(call, value -> LockTask.keys(text, value))));
    }

    private Optional<Predicate<LockOperation.Call>> condition(
            LockedMethod method, MergedAnnotation<DistributedLock> annotation, ProblemCollector problems) {
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

    private static Optional<Function<LockOperation.Call, NotAcquiredHandler>> notAcquired(
            LockedMethod method,
            MergedAnnotation<DistributedLock> annotation,
            ReturnTypes.Handling returns,
            ProblemCollector problems) {
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
}
