package io.distlock.spring.interceptor;

import java.util.Set;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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

/** What start-up can know about an expression: whether its variables and beans exist, and what it asks of the call. */
record ExpressionRules(
        String attribute,
        String text,
        LockExpressions.Variables variables,
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
                "\"" + name + "\" is not a property of the call" + (isArgument ? "; did you mean #" + name + "?" : ""),
                isArgument
                        ? "Write #" + name
                        : "Write an argument as one of " + String.join(", ", variables.known())
                                + ", or a text in single quotes");
    }
}
