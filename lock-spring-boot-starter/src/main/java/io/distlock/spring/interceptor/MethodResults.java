package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Execution;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a locked method returns, and so how it is run.
 *
 * @param execution knows when the work of such a method is done
 * @param skipped in place of the result when the method is skipped
 * @param noSkip why there is nothing to return when the method is skipped, if so
 * @param later whether the work goes on after the return
 * @param mayBeAnything whether the declared type does not tell if the work is over when the method returns
 */
record MethodResults(
        Execution execution,
        Supplier<@Nullable Object> skipped,
        Optional<String> noSkip,
        boolean later,
        boolean mayBeAnything) {

    /**
     * Refuses a result that stands for work that is still going on.
     *
     * @throws IllegalStateException if it does
     */
    @Nullable
    Object requireDone(@Nullable Object result, Method method) {
        if (mayBeAnything && result != null && ResultTypes.isAsynchronous(result.getClass())) {
            throw new IllegalStateException(
                    method + " returned a " + result.getClass().getName()
                            + " whose work may go on although the lock has been given back. Declare what it returns");
        }
        return result;
    }
}
