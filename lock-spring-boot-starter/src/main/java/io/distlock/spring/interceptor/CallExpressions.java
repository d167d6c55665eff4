package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/** Parses expressions over a method's calls and checks the variables in them. Thread-safe. */
final class CallExpressions {

    private static final String CURE = "Write SpEL over the arguments, such as \"#orderId\" or \"#p0\"";

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    CallExpressions(ConfigurableListableBeanFactory beans) {
        shared.setBeanResolver(new BeanFactoryResolver(beans));
        shared.setTypeLocator(new StandardTypeLocator(beans.getBeanClassLoader()));
    }

    /** The expression; absent if it is wrong, which has been noted then. */
    Optional<CallExpression> parse(String attribute, String text, LockedMethod method, Problems problems) {
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
        return Optional.of(new CallExpression(attribute, expression, method, parameterNames, shared));
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
}
