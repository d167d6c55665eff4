package io.distlock.spring.future;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locked methods that return a future, and a context with them. */
class FutureJobs {

    private static final LockKey JOB = LockKey.of("job");

    private final AtomicInteger calls = new AtomicInteger();

    public int calls() {
        return calls.get();
    }

    @DistributedLock(name = "job", waitTime = "1m", renew = false)
    public CompletableFuture<String> run(Supplier<CompletableFuture<String>> body) {
        calls.incrementAndGet();
        return body.get();
    }

    @DistributedLock(name = "job", renew = false, onLost = OnLost.INTERRUPT)
    public CompletionStage<String> cancelledOnLoss(Supplier<CompletionStage<String>> body) {
        return body.get();
    }

    @DistributedLock("job")
    public void blocking(Runnable body) {
        body.run();
    }

    /** What a test does with them. */
    interface Work {

        void with(AssertableApplicationContext context, FutureJobs jobs) throws Exception;
    }

    static void run(Work work) {
        run(LockTestContext.manual(), work);
    }

    static void run(ApplicationContextRunner runner, Work work) {
        runner.withBean(FutureJobs.class).run(context -> work.with(context, context.getBean(FutureJobs.class)));
    }

    static boolean isFree(AssertableApplicationContext context) {
        return context.getBean(LockClient.class).inspect(JOB).isEmpty();
    }

    static HeldLock heldByAnother(AssertableApplicationContext context) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(JOB));
    }

    static String get(CompletionStage<String> future) throws Exception {
        return future.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
