package io.distlock.spring.publisher;

import static io.distlock.spring.publisher.PublisherJobs.JOB;
import static io.distlock.spring.publisher.PublisherJobs.PATIENCE;
import static io.distlock.spring.publisher.PublisherJobs.heldByAnother;
import static io.distlock.spring.publisher.PublisherJobs.isFree;
import static io.distlock.spring.publisher.PublisherJobs.releases;
import static io.distlock.spring.publisher.PublisherJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.spring.LockTestContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Subscriptions to locked publishers that are cancelled. */
class PublisherCancellationTests {

    @Test
    void cancellationGivesTheLockBackOnce() {
        run((context, jobs) -> {
            AtomicInteger cancelled = new AtomicInteger();
            Disposable running = jobs.flux(() -> Flux.never().doOnCancel(cancelled::incrementAndGet))
                    .subscribe();
            await().until(() -> jobs.calls() == 1);
            running.dispose();
            await().until(() -> isFree(context));
            assertThat(cancelled).hasValue(1);
            assertThat(releases(context)).isEqualTo(1);
            assertThat(jobs.flux(() -> Flux.range(0, 100)).take(1).blockLast(PATIENCE))
                    .isZero();
            await().until(() -> isFree(context));
            assertThat(releases(context)).isEqualTo(2);
        });
    }

    @Test
    void cancellationWhileItWaitsLeavesNothingBehind() {
        run((context, jobs) -> {
            try (HeldLock other = heldByAnother(context)) {
                Disposable waiting = jobs.mono(() -> Mono.just("done")).subscribe();
                waiting.dispose();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(isFree(context)).isTrue();
            assertThat(jobs.mono(() -> Mono.just("next")).block(PATIENCE)).isEqualTo("next");
            assertThat(jobs.calls()).isEqualTo(1);
        });
    }

    /** The grant and the cancellation at the same moment, many times. */
    @Test
    void cancellationAsTheGrantArrivesLeavesNothingBehind() {
        LockTestContext.inMemory().withBean(PublisherJobs.class).run(context -> {
            PublisherJobs jobs = context.getBean(PublisherJobs.class);
            for (int round = 0; round < 2_000; round++) {
                Disposable subscription = jobs.mono(Mono::never).subscribe();
                for (int spin = 0; spin < round % 200; spin++) {
                    Thread.onSpinWait();
                }
                subscription.dispose();
            }
            await().until(() -> context.getBean(LockClient.class).inspect(JOB).isEmpty());
        });
    }
}
