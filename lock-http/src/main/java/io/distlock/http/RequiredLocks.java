package io.distlock.http;

import io.distlock.LockKey;
import io.distlock.spring.execution.KeyConverter;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads {@link RequireLock} annotations, and evaluates their keys. Thread-safe. */
final class RequiredLocks {

    private static final Pattern BY_INDEX = Pattern.compile("[ap](\\d{1,3})");

    /** Subscribers of other libraries, such as RxJava and the JDK's own, have no context. Names, as none need be there. */
    private static final Set<String> WITH_CONTEXT = Set.of(
            "reactor.core.publisher.Mono",
            "reactor.core.publisher.Flux",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final DefaultParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final Map<Method, Requirement> known = new ConcurrentHashMap<>();

    /**
     * What a method requires.
     *
     * @throws IllegalStateException if its annotation cannot be used
     */
    Requirement of(Method method) {
        return known.computeIfAbsent(method, this::read);
    }

    private Requirement read(Method method) {
        RequireLock annotation =
                Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, RequireLock.class));
        try {
            LockKey.of(annotation.name());
            return new Requirement(
                    annotation,
                    method,
                    annotation.key().isEmpty() ? null : parsed(annotation.key(), method),
                    publisher(method),
                    parameterNames);
        } catch (ParseException | IllegalArgumentException wrong) {
            throw new IllegalStateException(
                    "@RequireLock on " + method + " cannot be used: " + wrong.getMessage(), wrong);
        }
    }

    private Expression parsed(String key, Method method) {
        SpelExpression expression = parser.parseRaw(key);
        List<String> names = Optional.ofNullable(parameterNames.getParameterNames(method))
                .map(List::of)
                .orElse(List.of());
        requireKnown(expression.getAST(), method, names);
        return expression;
    }

    /** An argument that does not exist would be null in each call. */
    private static void requireKnown(SpelNode node, Method method, List<String> names) {
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            Matcher byIndex = BY_INDEX.matcher(name);
            boolean known = byIndex.matches()
                    ? Integer.parseInt(byIndex.group(1)) < method.getParameterCount()
                    : names.contains(name) || name.equals("this") || name.equals("root");
            if (!known) {
                throw new IllegalArgumentException("there is no parameter for #" + name + " in its key: the names are "
                        + names + "; #p0 is the first, whatever its name");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireKnown(node.getChild(i), method, names);
        }
    }

    /** How to adapt what a method returns, if a subscription to it begins the work, and has the context of its request. */
    private static @Nullable ReactiveAdapter publisher(Method method) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance()
                .getAdapter(
                        KotlinDetector.isSuspendingFunction(method) ? asSeenByAdvice(method) : method.getReturnType());
        return adapter == null
                        || !WITH_CONTEXT.contains(adapter.getReactiveType().getName())
                ? null
                : adapter;
    }

    private static Class<?> asSeenByAdvice(Method suspending) {
        Class<?> declared = new MethodParameter(suspending, -1).getParameterType();
        return declared.getName().equals("kotlinx.coroutines.flow.Flow") ? Flux.class : Mono.class;
    }

    /** The lock that one method requires. */
    record Requirement(
            RequireLock annotation,
            Method method,
            @Nullable Expression key,
            @Nullable ReactiveAdapter publisher,
            DefaultParameterNameDiscoverer parameterNames) {

        /**
         * The lock for one call.
         *
         * @throws LockRequirementException 400 if the arguments make no valid key
         * @throws IllegalStateException if the expression's type cannot be a key
         */
        @SuppressWarnings("NullAway") // elements may be null; Spring's class file says so only to newer compilers
        LockKey key(Object target, @Nullable Object[] arguments) {
            if (key == null) {
                return LockKey.of(annotation.name());
            }
            Object value = value(key, new MethodBasedEvaluationContext(target, method, arguments, parameterNames));
            if (value == null
                    || ((value instanceof Double || value instanceof Float)
                            && !Double.isFinite(((Number) value).doubleValue()))) {
                throw LockRequirementException.ofAnotherKey();
            }
            String item;
            try {
                item = KeyConverter.text(value);
            } catch (IllegalArgumentException refusal) {
                throw new IllegalStateException(
                        "@RequireLock key \"" + annotation.key() + "\" on " + method + ": " + refusal.getMessage(),
                        refusal);
            }
            try {
                return LockKey.of(annotation.name(), item);
            } catch (IllegalArgumentException nobodysKey) {
                throw LockRequirementException.ofAnotherKey();
            }
        }

        /** Null also where something on the way is null: a part of the request is missing. */
        private static @Nullable Object value(Expression key, MethodBasedEvaluationContext arguments) {
            try {
                return key.getValue(arguments);
            } catch (SpelEvaluationException failure) {
                SpelMessage reason = failure.getMessageCode();
                if (reason == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                        || reason == SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED) {
                    return null;
                }
                throw failure;
            }
        }
    }
}
