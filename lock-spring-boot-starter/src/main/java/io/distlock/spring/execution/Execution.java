package io.distlock.spring.execution;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies under locks, until their work is done: at the return, at the completion of a future, at the end of a
 * subscription. No lock, no body. Thread-safe.
 */
public interface Execution {

    /**
     * Runs the body under these locks, one or more, or does not run it. They are taken in this order and released in
     * the reverse; their wait times count from the beginning of the call.
     *
     * @return what the body returned, or a future or publisher of it
     * @throws Throwable what the body threw, untouched; or the reason why it was not run; or, if it has run to its
     *     end but a lock was lost, {@link io.distlock.LockLostException}. Executions of work that goes on after
     *     the return fail by what they return instead
     */
    @Nullable
    Object run(List<LockTask> tasks, Body body) throws Throwable;

    /** Code that runs under locks. */
    @FunctionalInterface
    interface Body {

        @Nullable
        Object run() throws Throwable;
    }
}
