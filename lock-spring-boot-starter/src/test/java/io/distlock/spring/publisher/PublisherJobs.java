package io.distlock.spring.publisher;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.test.provider.FaultyLockProvider;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Locked methods that return a publisher, and a context with them. */
class PublisherJobs {

    static final LockKey JOB = LockKey.of("job");
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AtomicInteger calls = new AtomicInteger();

    public int calls() {
        return calls.get();
    }

    @DistributedLock(name = "job", waitTime = "1m", renew = false)
    public <T> Mono<T> mono(Supplier<Mono<T>> body) {
        calls.incrementAndGet();
        return body.get();
    }

    @DistributedLock(name = "job", renew = false)
    public <T> Flux<T> flux(Supplier<Flux<T>> body) {
        calls.incrementAndGet();
        return body.get();
    }

    @DistributedLock(name = "job", renew = false, onLost = OnLost.INTERRUPT)
    public <T> Flux<T> cancelledOnLoss(Supplier<Flux<T>> body) {
        calls.incrementAndGet();
        return body.get();
    }

    @DistributedLock("job")
    public Publisher<String> publisher() {
        return Mono.just(held());
    }

    @DistributedLock("job")
    public Flow.Publisher<String> flow() {
        return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(held()));
    }

    @DistributedLock("job")
    public Flowable<String> flowable() {
        return Flowable.just(held());
    }

    @DistributedLock("job")
    public void blocking(Runnable body) {
        body.run();
    }

    private static String held() {
        return LockContext.requireHeld("job").keys().toString();
    }

    /** What a test does with them. */
    interface Work {

        void with(AssertableApplicationContext context, PublisherJobs jobs) throws Exception;
    }

    static void run(Work work) {
        LockTestContext.manual()
                .withBean(PublisherJobs.class)
                .run(context -> work.with(context, context.getBean(PublisherJobs.class)));
    }

    static boolean isFree(AssertableApplicationContext context) {
        return context.getBean(LockClient.class).inspect(JOB).isEmpty();
    }

    static HeldLock heldByAnother(AssertableApplicationContext context) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(JOB));
    }

    static int releases(AssertableApplicationContext context) {
        return context.getBean(FaultyLockProvider.class).releases();
    }
}
