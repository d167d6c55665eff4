package io.distlock.http;

import io.distlock.LockKey;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Reads {@link RequireLock} annotations, and evaluates their keys. Thread-safe. */
final class RequiredLocks {

    private static final Pattern BY_INDEX = Pattern.compile("[ap](\\d{1,3})");

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

    /** The lock that one method requires. */
    record Requirement(
            RequireLock annotation,
            Method method,
            @Nullable Expression key,
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
            Object value = key.getValue(new MethodBasedEvaluationContext(target, method, arguments, parameterNames));
            String item = text(value);
            try {
                return LockKey.of(annotation.name(), item);
            } catch (IllegalArgumentException nobodysKey) {
                throw LockRequirementException.ofAnotherKey();
            }
        }

        private String text(@Nullable Object value) {
            if (value instanceof Enum<?> one) {
                return one.name();
            } else if (value instanceof CharSequence || value instanceof UUID || isWhole(value)) {
                return String.valueOf(value);
            }
            throw new IllegalStateException("@RequireLock key \"" + annotation.key() + "\" on " + method + " yields "
                    + (value == null ? "null" : "a " + value.getClass().getName())
                    + ": it must yield a string, a whole number, an enum constant or a UUID");
        }

        private static boolean isWhole(@Nullable Object value) {
            return value instanceof Long
                    || value instanceof Integer
                    || value instanceof Short
                    || value instanceof Byte
                    || value instanceof BigInteger;
        }
    }
}
