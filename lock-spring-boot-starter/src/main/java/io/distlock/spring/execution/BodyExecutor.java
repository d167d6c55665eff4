package io.distlock.spring.execution;

import io.distlock.engine.LockClientBuilder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;

/** Runs the bodies of futures and publishers: on the application's executor, in the caller's context. Thread-safe. */
final class BodyExecutor {

    private final Executor own = LockClientBuilder.defaultCallbackExecutor();
    private final Supplier<? extends Executor> executors;
    private final Supplier<List<TaskDecorator>> decorators;

    // Not under a monitor: each requests beans. At worst done twice, same result.
    private volatile @Nullable Executor executor;
    private volatile @Nullable TaskDecorator decorator;

    BodyExecutor(Supplier<? extends Executor> executors, Supplier<List<TaskDecorator>> decorators) {
        this.executors = executors;
        this.decorators = decorators;
    }

    Executor executor() {
        Executor known = executor;
        if (known == null) {
            known = executors.get();
            executor = known;
        }
        return known;
    }

    private TaskDecorator decorator() {
        TaskDecorator known = decorator;
        if (known == null) {
            known = new CompositeTaskDecorator(decorators.get());
            decorator = known;
        }
        return known;
    }

    /** For one body of the calling thread, whose context is captured now: locks are granted on other threads. */
    Turn forCaller() {
        return new Turn();
    }

    /** One body's turn on the executor. */
    final class Turn {

        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
        private final CompletableFuture<Boolean> over = new CompletableFuture<>();
        private final Runnable task = decorator().decorate(() -> begun.complete(true));
        private final Thread caller = Thread.currentThread();

        /** Completed on the executor's thread; or exceptionally, if the executor or a decorator does not run the task. */
        CompletableFuture<Boolean> begun() {
            return begun;
        }

        /** The body's call has returned, and its publisher is subscribed to; or the call will never begin. */
        void end() {
            over.complete(true);
        }

        /** Unless it has begun, the body does not run. Completed when the lock may end, which is after it in any case. */
        CompletableFuture<Boolean> stop() {
            return begun.cancel(true) ? CompletableFuture.completedFuture(true) : over;
        }

        /** Submits the task. Not on the caller's thread, which an executor may block, or use for the task. */
        void take() {
            if (Thread.currentThread() == caller) {
                unlessRejected(() ->
                        own.execute(() -> unlessRejected(() -> executor().execute(this::run))));
            } else {
                unlessRejected(() -> executor().execute(this::run));
            }
        }

        private void run() {
            unlessRejected(task);
            begun.completeExceptionally(new IllegalStateException("a TaskDecorator did not run its task"));
        }

        private void unlessRejected(Runnable submission) {
            try {
                submission.run();
            } catch (RuntimeException | Error rejection) {
                begun.completeExceptionally(rejection);
            }
        }
    }
}
