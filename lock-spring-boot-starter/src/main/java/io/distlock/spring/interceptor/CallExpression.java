package io.distlock.spring.interceptor;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** An expression over the calls of one method, parsed. Thread-safe. */
final class CallExpression {

    private final String attribute;
    private final Expression expression;
    private final LockedMethod method;
    private final ParameterNameDiscoverer parameterNames;
    private final StandardEvaluationContext shared;

    CallExpression(
            String attribute,
            Expression expression,
            LockedMethod method,
            ParameterNameDiscoverer parameterNames,
            StandardEvaluationContext shared) {
        this.attribute = attribute;
        this.expression = expression;
        this.method = method;
        this.parameterNames = parameterNames;
        this.shared = shared;
    }

    /**
     * The value for a call, as the attribute wants it.
     *
     * @param reading refuses a value with an {@link IllegalArgumentException} that says why
     * @throws IllegalArgumentException if the expression fails, or gives what cannot be used
     */
    <T> T evaluate(LockedCall call, Function<@Nullable Object, T> reading) {
        Object value = evaluate(call);
        try {
            return reading.apply(value);
        } catch (IllegalArgumentException refusal) {
            throw failure(": " + refusal.getMessage(), refusal);
        }
    }

    @SuppressWarnings("NullAway") // arguments may be null; Spring's class file says so only to newer compilers
    private @Nullable Object evaluate(LockedCall call) {
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
