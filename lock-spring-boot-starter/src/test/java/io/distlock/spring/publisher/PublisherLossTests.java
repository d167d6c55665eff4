package io.distlock.spring.publisher;

import static io.distlock.spring.publisher.PublisherJobs.PATIENCE;
import static io.distlock.spring.publisher.PublisherJobs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockLostException;
import io.distlock.spring.BlockedCancellation;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** What becomes of a subscription when its lock is lost. */
class PublisherLossTests {

    @Test
    void aLossIsToldAtTheEndOfABodyThatIsLeftRunning() {
        run((context, jobs) -> {
            Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
            StepVerifier.create(jobs.flux(source::asFlux))
                    .then(() -> source.tryEmitNext("a"))
                    .expectNext("a")
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .then(() -> source.tryEmitNext("b"))
                    .expectNext("b")
                    .then(source::tryEmitComplete)
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
        });
    }

    @Test
    void aLossIsSuppressedIntoAnErrorOfTheBody() {
        run((context, jobs) -> {
            Sinks.One<String> source = Sinks.one();
            StepVerifier.create(jobs.mono(source::asMono))
                    .expectSubscription()
                    .then(() -> await().until(() -> jobs.calls() == 1))
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .then(() -> source.tryEmitError(new IOException("disk")))
                    .expectErrorSatisfies(seen -> {
                        assertThat(seen).isInstanceOf(IOException.class);
                        assertThat(seen.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class);
                    })
                    .verify(PATIENCE);
        });
    }

    @Test
    void interruptCancelsTheSubscriptionAndTellsOfTheLoss() {
        run((context, jobs) -> {
            AtomicInteger cancelled = new AtomicInteger();
            StepVerifier.create(jobs.cancelledOnLoss(
                            () -> Flux.just("a").concatWith(Flux.never()).doOnCancel(cancelled::incrementAndGet)))
                    .expectNext("a")
                    .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                    .expectErrorSatisfies(seen -> assertThat(seen)
                            .isInstanceOf(LockLostException.class)
                            .hasNoSuppressedExceptions())
                    .verify(PATIENCE);
            assertThat(cancelled).hasValue(1);
        });
    }

    /** As a source may whose thread is interrupted by the cancellation. */
    @Test
    void anErrorOfABodyThatIsCancelledForALossGivesWayToTheLoss() {
        run((context, jobs) -> StepVerifier.create(jobs.cancelledOnLoss(() ->
                        Flux.from(subscriber -> subscriber.onSubscribe(new Subscription() {
                            @Override
                            public void request(long elements) {
                                subscriber.onNext("a");
                            }

                            @Override
                            public void cancel() {
                                subscriber.onError(new IOException("interrupted"));
                            }
                        }))))
                .expectNext("a")
                .then(() -> context.getBean(ManualTicker.class).advance(Duration.ofMinutes(1)))
                .expectError(LockLostException.class)
                .verify(PATIENCE));
    }

    @Test
    void aCancellationThatBlocksDoesNotHoldUpTheNewsOfAnotherLoss() {
        run((context, jobs) -> {
            BlockedCancellation cancellation = new BlockedCancellation(context.getBean(LockClient.class));
            CountDownLatch subscribed = new CountDownLatch(1);
            jobs.cancelledOnLoss(() -> Flux.never()
                            .doOnSubscribe(subscription -> subscribed.countDown())
                            .doOnCancel(cancellation::block))
                    .subscribe(element -> {}, failure -> {});
            await().until(() -> subscribed.getCount() == 0);
            cancellation.holdsUpNoOtherLoss();
        });
    }
}
