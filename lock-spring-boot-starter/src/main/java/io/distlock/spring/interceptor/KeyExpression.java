package io.distlock.spring.interceptor;

import io.distlock.LockKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The key expression of one method, parsed. Thread-safe. */
final class KeyExpression {

    private final Expression expression;
    private final LockedMethod method;
    private final ParameterNameDiscoverer parameterNames;
    private final StandardEvaluationContext shared;

    KeyExpression(
            Expression expression,
            LockedMethod method,
            ParameterNameDiscoverer parameterNames,
            StandardEvaluationContext shared) {
        this.expression = expression;
        this.method = method;
        this.parameterNames = parameterNames;
        this.shared = shared;
    }

    /**
     * What a call locks under a name.
     *
     * @throws IllegalArgumentException if the expression fails, or gives what cannot be locked
     */
    List<LockKey> keys(String name, LockedCall call) {
        Object value = evaluate(call);
        try {
            return KeyValues.texts(value).stream()
                    .map(text -> LockKey.of(name, text))
                    .toList();
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
                "@DistributedLock key \"" + expression.getExpressionString() + "\" of " + method.describe() + why,
                cause);
    }
}
