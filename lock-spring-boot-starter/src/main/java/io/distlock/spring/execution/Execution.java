package io.distlock.spring.execution;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies under locks, until their work is done: on return, when a future completes, or at the end of a
 * subscription. Never runs one unlocked. Thread-safe.
 */
public interface Execution {

    /**
     * Runs the body under these locks, or does not run it. They are taken in this order and released in the reverse;
     * their wait times count from the beginning of the call. The executions of work continuing after the return take
     * calls without locks too, whose bodies run where all others do.
     *
     * @return what the body returned, or a future or publisher of it
     * @throws Throwable what the body threw, unchanged; or the reason why it was not run; or, if it has run to its
     *     end but a lock was lost, {@link io.distlock.LockLostException}. Executions of work continuing after
     *     the return fail through their result
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
