package io.distlock.spring.execution;

import io.distlock.engine.LockClientBuilder;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.scheduling.concurrent.ConcurrentTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Runs the bodies of futures and publishers: on the application's executor, in the caller's context. Thread-safe. */
final class BodyExecutor {

    private final Executor own = LockClientBuilder.defaultCallbackExecutor();
    private final Supplier<? extends Executor> executors;
    private final Supplier<List<TaskDecorator>> decorators;

    // Not under a monitor: it requests beans. At worst done twice, same result.
    private volatile @Nullable Target target;

    record Target(Executor executor, TaskDecorator decorator) {}

    BodyExecutor(Supplier<? extends Executor> executors, Supplier<List<TaskDecorator>> decorators) {
        this.executors = executors;
        this.decorators = decorators;
    }

    /** Finds them at the first call, or fails. */
    Target target() {
        Target known = target;
        if (known == null) {
            Executor executor = executors.get();
            requireReports(executor);
            known = new Target(executor, new CompositeTaskDecorator(decorators.get()));
            target = known;
        }
        return known;
    }

    /** A call whose body is dropped without a word would keep its lock for as long as it may be held. */
    private static void requireReports(Executor executor) {
        Executor pool = executor;
        if (pool instanceof ConcurrentTaskExecutor adapter) {
            pool = adapter.getConcurrentExecutor();
        } else if (pool instanceof ThreadPoolTaskExecutor tasks) {
            pool = tasks.getThreadPoolExecutor();
        } else if (pool instanceof ThreadPoolTaskScheduler tasks) {
            pool = tasks.getScheduledThreadPoolExecutor();
        }
        if (pool instanceof ThreadPoolExecutor known
                && (known.getRejectedExecutionHandler() instanceof ThreadPoolExecutor.DiscardPolicy
                        || known.getRejectedExecutionHandler() instanceof ThreadPoolExecutor.DiscardOldestPolicy)) {
            throw new IllegalStateException("the executor of locked bodies drops tasks without a word ("
                    + known.getRejectedExecutionHandler().getClass().getSimpleName()
                    + "), and a call whose body is dropped would keep its lock: give it a RejectedExecutionHandler that"
                    + " throws, such as AbortPolicy, or choose another one with distributed-lock.task-executor");
        }
    }

    /** The task in the context of the calling thread. */
    Runnable decorated(Runnable task) {
        return target().decorator().decorate(task);
    }

    /** Submits the task; on this thread only if it may block, since an executor may block it, or use it for the task. */
    void execute(boolean mayBlock, Runnable task, Consumer<Throwable> notRun) {
        Runnable submission = reporting(
                notRun,
                () -> target().executor().execute(reporting(notRun, () -> {
                    task.run();
                    notRun.accept(new IllegalStateException("a TaskDecorator did not run its task"));
                })));
        if (mayBlock) {
            submission.run();
        } else {
            reporting(notRun, () -> own.execute(submission)).run();
        }
    }

    private static Runnable reporting(Consumer<Throwable> notRun, Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException | Error rejection) {
                notRun.accept(rejection);
            }
        };
    }
}
