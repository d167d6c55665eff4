package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/** Parses, checks and evaluates lock expressions over the calls of a method. Thread-safe. */
final class LockExpressions {

    private static final String CURE = "Write SpEL over the arguments, such as \"#orderId\" or \"#p0\"";

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final StandardEvaluationContext shared = new StandardEvaluationContext();
    private final ConfigurableListableBeanFactory beans;

    LockExpressions(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        shared.setBeanResolver(new BeanFactoryResolver(beans));
        shared.setTypeLocator(new StandardTypeLocator(beans.getBeanClassLoader()));
    }

    /** What the expression says for each call, or an {@link IllegalArgumentException} that names lock, method and reason. */
    <T> Function<LockOperation.Call, T> parse(
            String attribute,
            String text,
            String lock,
            Variables variables,
            Function<@Nullable Object, T> reading,
            ProblemCollector problems) {
        try {
            SpelExpression expression = parser.parseRaw(text);
            new ExpressionRules(attribute, text, variables, beans, problems).check(expression.getAST());
            String described = "@DistributedLock " + attribute + " \"" + text + "\" of lock '" + lock + "' on "
                    + variables.method().describe();
            // A single argument, as keys mostly are, needs no evaluation.
            Integer position = expression.getAST() instanceof VariableReference
                    ? variables.arguments().get(text.strip().substring(1))
                    : null;
            return call -> read(
                    reading,
                    position == null ? evaluate(expression, call, variables, described) : call.args()[position],
                    described);
        } catch (ParseException | IllegalStateException malformed) {
            problems.add(attribute, "\"" + text + "\" is not a SpEL expression: " + malformed.getMessage(), CURE);
            return call -> reading.apply(null);
        }
    }

    private static <T> T read(Function<@Nullable Object, T> reading, @Nullable Object value, String described) {
        try {
            return reading.apply(value);
        } catch (IllegalArgumentException refusal) {
            throw new IllegalArgumentException(described + ": " + refusal.getMessage(), refusal);
        }
    }

    private @Nullable Object evaluate(
            Expression expression, LockOperation.Call call, Variables variables, String described) {
        var context = new StandardEvaluationContext(call) {

            @Override
            public @Nullable Object lookupVariable(String name) {
                Integer position = variables.arguments().get(name);
                return position == null ? super.lookupVariable(name) : call.args()[position];
            }
        };
        shared.applyDelegatesTo(context);
        try {
            return expression.getValue(context);
        } catch (RuntimeException cause) {
            Throwable root = NestedExceptionUtils.getMostSpecificCause(cause);
            Object why = root instanceof EvaluationException ? root.getMessage() : root;
            throw new IllegalArgumentException(described + " cannot be evaluated: " + why, cause);
        }
    }

    /**
     * The variables of an annotation's expressions: each argument by position and by the names that its parameter has where
     * the annotation is, in the method that runs, and in an interface. Where they disagree, the first of these counts.
     */
    Variables variables(LockedMethod locked, @Nullable Object annotated) {
        Method method = locked.method();
        Map<String, Integer> arguments = new LinkedHashMap<>();
        Stream.of(annotated, method, ClassUtils.getInterfaceMethodIfPossible(method, locked.targetClass()))
                .filter(each -> each instanceof Method)
                .map(each -> parameterNames.getParameterNames((Method) each))
                .filter(Objects::nonNull)
                .forEach(names -> {
                    for (int index = 0; index < names.length; index++) {
                        arguments.putIfAbsent(names[index], index);
                    }
                });
        boolean named = !arguments.isEmpty();
        for (int index = 0; index < method.getParameterCount(); index++) {
            arguments.putIfAbsent("p" + index, index);
            arguments.putIfAbsent("a" + index, index);
        }
        return new Variables(locked, arguments, named);
    }

    /** The position of the argument for each variable, and whether the names of the parameters are known. */
    record Variables(LockedMethod method, Map<String, Integer> arguments, boolean named) {

        Set<String> known() {
            Set<String> known = new LinkedHashSet<>();
            arguments.keySet().forEach(name -> known.add('#' + name));
            known.addAll(List.of("#root", "#this"));
            return known;
        }
    }
}
