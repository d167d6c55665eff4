package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Collection;
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
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
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
            new Rules(attribute, text, variables, beans, problems).check(expression.getAST());
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

        /** Whether an expression is an argument that is declared as an array or a collection. */
        boolean isOfSeveral(String expression) {
            Integer position = expression.isBlank()
                    ? null
                    : arguments.get(expression.strip().substring(1));
            Class<?> type = position == null ? Object.class : method.method().getParameterTypes()[position];
            return expression.strip().startsWith("#") && (type.isArray() || Collection.class.isAssignableFrom(type));
        }

        Set<String> known() {
            Set<String> known = new LinkedHashSet<>();
            arguments.keySet().forEach(name -> known.add('#' + name));
            known.addAll(List.of("#root", "#this"));
            return known;
        }
    }

    /** What start-up can know about an expression: whether its variables and beans exist, and what it asks of the call. */
    private record Rules(
            String attribute,
            String text,
            Variables variables,
            ConfigurableListableBeanFactory beans,
            ProblemCollector problems) {

        /** The properties and methods of {@code #root}; not by reflection, of which a native image knows nothing. */
        private static final Set<String> OF_THE_CALL = Set.of(
                "method", "target", "args", "methodName", "targetClass", "class", "getClass", "toString", "hashCode");

        void check(SpelNode expression) {
            check(expression, true, true);
        }

        /** With whether a bare name is a property of the call, here and in what is nested, as in the argument of a method. */
        private void check(SpelNode node, boolean ofTheCall, boolean nestedOfTheCall) {
            if (node instanceof VariableReference) {
                checkVariable(node.toStringAST());
            } else if (node instanceof FunctionReference) {
                problems.add(
                        attribute,
                        "\"" + node.toStringAST() + "\" calls a function, but there are none",
                        "Write an argument without parentheses, or call a method of a bean: @bean.method()");
            } else if (node instanceof BeanReference) {
                checkBean(node.toStringAST().replaceFirst("^@", "").replace("'", ""));
            } else if (ofTheCall && node instanceof PropertyOrFieldReference property) {
                checkProperty(property.getName());
            } else if (ofTheCall && node instanceof MethodReference method && !OF_THE_CALL.contains(method.getName())) {
                problems.add(
                        attribute,
                        "\"" + method.toStringAST() + "\" is not a method of the call",
                        "Write #root.target." + method.toStringAST() + " for a method of the bean");
            }
            boolean isOfElement = node instanceof Projection || node instanceof Selection;
            boolean nested = nestedOfTheCall && !isOfElement;
            for (int at = 0; at < node.getChildCount(); at++) {
                check(node.getChild(at), nested && !isKey(node, at), nested);
            }
        }

        /** Whether a bare name is a key or belongs to what comes before it. */
        private static boolean isKey(SpelNode parent, int at) {
            return parent instanceof Indexer
                    || (parent instanceof InlineMap && at % 2 == 0)
                    || (parent instanceof CompoundExpression
                            && at > 0
                            && !(at == 1 && parent.getChild(0).toStringAST().equals("#root")));
        }

        private void checkVariable(String variable) {
            if (!variables.known().contains(variable)) {
                problems.add(
                        attribute,
                        "\"" + text + "\" uses the unknown variable " + variable + "; known variables: "
                                + String.join(", ", variables.known()),
                        variables.named()
                                ? "Use one of the known variables"
                                : "Compile with -parameters, which keeps the parameters' names, or write #p0, #p1, …");
            }
        }

        private void checkBean(String name) {
            if (!beans.containsBean(name)) {
                problems.add(
                        attribute,
                        "\"" + text + "\" uses a bean, but there is no bean '" + name + "'",
                        "Correct the bean's name, or define the bean");
            }
        }

        private void checkProperty(String name) {
            if (OF_THE_CALL.contains(name)) {
                return;
            }
            boolean isArgument = variables.arguments().containsKey(name);
            problems.add(
                    attribute,
                    "\"" + name + "\" is not a property of the call"
                            + (isArgument ? "; did you mean #" + name + "?" : ""),
                    isArgument
                            ? "Write #" + name
                            : "Write an argument as one of " + String.join(", ", variables.known())
                                    + ", or a text in single quotes");
        }
    }
}
