package io.distlock.spring.execution;

import io.distlock.spring.context.CallContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to run bodies under locks, by when their work is done: at their return, at the completion of a future, at the
 * end of a subscription. No lock, no body. Thread-safe.
 */
public interface Execution {

    /**
     * Runs the body under these locks, one or more, or does not run it. They are taken in this order and given back in
     * the reverse; their wait times count from the beginning of the call.
     *
     * @return what the body returned, or what stands for it and comes when it does
     * @throws Throwable what the body threw, untouched; or the reason why it was not run; or, if it has run to its
     *     end but a lock was lost, {@link io.distlock.LockLostException}. Executions of work that goes on after
     *     the return fail by what they return instead
     */
    @Nullable
    Object run(List<LockTask> tasks, CallContext.Body body) throws Throwable;
}
