package io.distlock.spring.publisher;

import static io.distlock.spring.publisher.PublisherJobs.PATIENCE;
import static io.distlock.spring.publisher.PublisherJobs.heldByAnother;
import static io.distlock.spring.publisher.PublisherJobs.isFree;
import static io.distlock.spring.publisher.PublisherJobs.releases;
import static io.distlock.spring.publisher.PublisherJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.test.provider.FaultyLockProvider;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Methods that return a publisher: each subscription has the lock from its start to its end, however it ends. */
class PublisherBodyTests {

    @Test
    void nothingIsLockedAndNothingRunsBeforeTheSubscription() {
        run((context, jobs) -> {
            jobs.mono(() -> Mono.just("done"));
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isZero();
            assertThat(jobs.calls()).isZero();
        });
    }

    @Test
    void eachSubscriptionCallsTheBodyUnderALockOfItsOwnThatIsFreeWhenTheValueComes() {
        run((context, jobs) -> {
            Mono<String> mono = jobs.mono(() -> Mono.fromSupplier(() -> "free " + isFree(context)));
            for (int round = 1; round <= 2; round++) {
                assertThat(mono.map(value -> value + " then " + isFree(context)).block(PATIENCE))
                        .isEqualTo("free false then true");
                assertThat(releases(context)).isEqualTo(round);
                assertThat(jobs.calls()).isEqualTo(round);
            }
        });
    }

    @Test
    void theLockIsHeldUntilTheLastElement() {
        run((context, jobs) -> {
            Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
            StepVerifier.create(jobs.flux(source::asFlux))
                    .then(() -> source.tryEmitNext("a"))
                    .expectNext("a")
                    .then(() -> assertThat(isFree(context)).isFalse())
                    .then(source::tryEmitComplete)
                    .expectComplete()
                    .verify(PATIENCE);
            assertThat(isFree(context)).isTrue();
            assertThat(releases(context)).isEqualTo(1);
        });
    }

    @Test
    void anErrorPassesUntouchedAndTheLockIsGivenBack() {
        run((context, jobs) -> {
            IOException ofTheBody = new IOException("disk");
            StepVerifier.create(jobs.flux(() -> Flux.error(ofTheBody)))
                    .expectErrorSatisfies(seen -> assertThat(seen).isSameAs(ofTheBody))
                    .verify(PATIENCE);
            StepVerifier.create(jobs.mono(() -> {
                        throw new IllegalStateException("of the call");
                    }))
                    .expectErrorMessage("of the call")
                    .verify(PATIENCE);
            assertThat(isFree(context)).isTrue();
            assertThat(releases(context)).isEqualTo(2);
        });
    }

    @Test
    void noThreadIsBlockedWhileAnotherHoldsTheLock() {
        run((context, jobs) -> {
            HeldLock other = heldByAnother(context);
            // A thread on which Reactor refuses to block.
            StepVerifier.create(jobs.mono(() -> Mono.just("done")).subscribeOn(Schedulers.parallel()))
                    .expectSubscription()
                    .then(other::close)
                    .expectNext("done")
                    .expectComplete()
                    .verify(PATIENCE);
        });
    }

    @Test
    void anyTypeThatSpringCanAdaptIsLocked() {
        run((context, jobs) -> {
            assertThat(Mono.from(jobs.publisher()).block(PATIENCE)).isEqualTo("[job]");
            // It cancels after the first element.
            await().until(() -> isFree(context));
            assertThat(JdkFlowAdapter.flowPublisherToFlux(jobs.flow()).blockLast(PATIENCE))
                    .isEqualTo("[job]");
            assertThat(jobs.flowable().toList().blockingGet()).isEqualTo(List.of("[job]"));
            assertThat(isFree(context)).isTrue();
        });
    }
}
