package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/** Parses and evaluates lock expressions over the calls of a method, and checks their variables. Thread-safe. */
final class LockExpressions {

    private static final String CURE = "Write SpEL over the arguments, such as \"#orderId\" or \"#p0\"";

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    LockExpressions(ConfigurableListableBeanFactory beans) {
        shared.setBeanResolver(new BeanFactoryResolver(beans));
        shared.setTypeLocator(new StandardTypeLocator(beans.getBeanClassLoader()));
    }

    Optional<LockExpression> parse(String attribute, String text, LockedMethod method, ProblemCollector problems) {
        SpelExpression expression;
        try {
            expression = parser.parseRaw(text);
        } catch (ParseException | IllegalStateException malformed) {
            problems.add(attribute, "\"" + text + "\" is no expression: " + malformed.getMessage(), CURE);
            return Optional.empty();
        }
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method.method());
        Set<String> known = variables(method, names);
        List<String> unknown = new ArrayList<>();
        collectVariables(expression.getAST(), unknown);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            problems.add(attribute, "\"" + text + "\" uses " + unknown + ", known are " + known, cure(names));
            return Optional.empty();
        }
        return Optional.of(new LockExpression(attribute, expression, method));
    }

    private static Set<String> variables(LockedMethod method, @Nullable String @Nullable [] names) {
        Set<String> known = new LinkedHashSet<>();
        if (names != null) {
            Arrays.stream(names).forEach(name -> known.add("#" + name));
        }
        for (int index = 0; index < method.method().getParameterCount(); index++) {
            known.add("#p" + index);
            known.add("#a" + index);
        }
        known.add("#root");
        known.add("#this");
        return known;
    }

    private static void collectVariables(SpelNode node, List<String> found) {
        if (node instanceof VariableReference) {
            found.add(node.toStringAST());
        }
        for (int child = 0; child < node.getChildCount(); child++) {
            collectVariables(node.getChild(child), found);
        }
    }

    private static String cure(@Nullable String @Nullable [] names) {
        return names != null
                ? "Use one of the known variables"
                : "Compile with -parameters, which keeps the parameters' names, or write #p0, #p1, …";
    }

    /** A parsed expression over the calls of one method. */
    final class LockExpression {

        private final String attribute;
        private final Expression expression;
        private final LockedMethod method;

        LockExpression(String attribute, Expression expression, LockedMethod method) {
            this.attribute = attribute;
            this.expression = expression;
            this.method = method;
        }

        /**
         * The value for a call, as the attribute needs it.
         *
         * @param reading refuses a value by an {@link IllegalArgumentException} with the reason
         * @throws IllegalArgumentException if the expression fails, or its value cannot be used
         */
        <T> T evaluate(LockOperation.Call call, Function<@Nullable Object, T> reading) {
            Object value = evaluate(call);
            try {
                return reading.apply(value);
            } catch (IllegalArgumentException refusal) {
                throw failure(": " + refusal.getMessage(), refusal);
            }
        }

        @SuppressWarnings("NullAway") // arguments may be null; Spring's class file says so only to newer compilers
        private @Nullable Object evaluate(LockOperation.Call call) {
            var context = new MethodBasedEvaluationContext(call, call.method(), call.args(), parameterNames);
            shared.applyDelegatesTo(context);
            try {
                return expression.getValue(context);
            } catch (EvaluationException cause) {
                throw failure(" cannot be evaluated: " + cause.getMessage(), cause);
            }
        }

        private IllegalArgumentException failure(String why, Exception cause) {
            return new IllegalArgumentException(
                    "@DistributedLock " + attribute + " \"" + expression.getExpressionString() + "\" of "
                            + method.describe() + why,
                    cause);
        }
    }
}
