package io.distlock.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Calls for permits whose answers come in an order of their own: while the next one is asked, after the call has ended. */
@EndsInTime
class PermitOrderTests {

    private static final LockKey KEY = LockKey.of("imports");

    private final ManualEngine here = new ManualEngine();

    /** A store that answers when the test says so. */
    private final List<LeaseRequest> asked = new ArrayList<>();

    private final List<CompletableFuture<Optional<Grant>>> answers = new ArrayList<>();
    private Runnable onAsked = () -> {};
    private final LockClient client = ManualEngine.client(silent(), here.runtime);

    private LockProvider silent() {
        return (LockProvider) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire")) {
                        asked.add((LeaseRequest) arguments[0]);
                        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
                        answers.add(answer);
                        onAsked.run();
                        return answer;
                    }
                    try {
                        return method.invoke(here.store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private CompletableFuture<HeldLock> ask(int permits) {
        return client.acquireAsync(client.request(KEY).withPermits(permits));
    }

    private LockRequest permits(int permits) {
        return here.client.request(KEY).withPermits(permits);
    }

    private void grant(int place) {
        answers.get(place)
                .complete(here.store
                        .acquire(asked.get(place))
                        .toCompletableFuture()
                        .join());
    }

    @Test
    void aCallThatWaitsForOneStandsAtTheNextHoweverItLearnedThatItWaits() {
        ask(3);
        assertThat(asked).hasSize(1);

        asked.get(0).listener().failed(new IllegalStateException("no connection"));
        assertThat(asked).hasSize(2);
        asked.get(1).listener().refused();

        assertThat(asked).extracting(LeaseRequest::key).doesNotHaveDuplicates().hasSize(3);
    }

    /** Nobody knows whether the permits are held. */
    @Test
    void aCallBehindOneWhoseStoreFailsIsNotToldThatThePermitsAreHeld() {
        ask(2);
        asked.get(0).listener().failed(new IllegalStateException("no connection"));
        asked.get(1).listener().failed(new IllegalStateException("no connection"));

        var second = client.acquireAsync(client.request(KEY).withPermits(2).withWaitTime(Duration.ofSeconds(1)));
        here.advanceMillis(1_000);

        assertThat(second)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockUnavailableException.class)
                .withMessageContaining("no connection");
    }

    /** The second hears that it waits before the first does: that must not call off the third. */
    @Test
    void theNewsOfAnEarlierPlaceDoesNotCallOffALaterOne() {
        onAsked = () -> {
            if (asked.size() == 2) {
                asked.get(1).listener().refused();
                asked.get(0).listener().refused();
            }
        };
        ask(3);

        asked.get(0).listener().refused();

        assertThat(asked).hasSize(3);
    }

    /** By a listener that hears of the grant before the caller does. */
    @Test
    void onceAPermitIsGrantedNoMoreAreAskedFor() {
        CompletableFuture<HeldLock> call = ask(3);
        client.addListener(event -> {
            if (event instanceof LockEvent.Acquired) {
                asked.get(0).listener().refused();
            }
        });

        grant(0);

        assertThat(call).isCompleted();
        assertThat(asked).hasSize(1);
    }

    /** By a listener that hears of the end of the call. */
    @Test
    void aGrantInTheInstantOfTheCancellationIsNoEvent() {
        AtomicBoolean delivered = new AtomicBoolean();
        here.client.addListener(event -> {
            if (event instanceof LockEvent.Failed && delivered.compareAndSet(false, true)) {
                here.provider.deliver();
            }
        });
        here.provider.onAcquire(Fault.LATE);
        var call = here.start(permits(2));

        call.cancel(true);

        assertThat(delivered).isTrue();
        assertThat(here.eventNames()).containsExactly("Failed");
        for (int permit = 1; permit <= 2; permit++) {
            assertThat(here.store
                            .inspect(KEY.permit(permit))
                            .toCompletableFuture()
                            .join())
                    .as("permit %s", permit)
                    .isEmpty();
        }
        assertThat(here.openWork()).isDone();
    }

    /** Each of the others would take a round trip of its own, one after another. */
    @Test
    void onceThereIsNoTimeToWaitTheRestIsAskedForAtOnce() {
        client.acquireAsync(client.request(KEY).withPermits(4).withWaitTime(Duration.ofSeconds(1)));
        assertThat(asked).hasSize(1);

        here.advanceMillis(1_001);
        answers.get(0).complete(Optional.empty());

        assertThat(asked).hasSize(4);
    }

    @Test
    void theWaitThatIsReportedIsThatOfTheCallAndNotOfThePermit() {
        List<Duration> waited = new ArrayList<>();
        client.addListener(event -> {
            if (event instanceof LockEvent.Acquired acquired) {
                waited.add(acquired.waited());
            }
        });
        CompletableFuture<HeldLock> call = ask(2);
        here.advanceMillis(100);
        asked.get(0).listener().refused();
        here.advanceMillis(50);

        grant(1);

        assertThat(call).isCompleted();
        assertThat(waited).containsExactly(Duration.ofMillis(150));
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // it is about which of two views is entered again
    void viewsOfOneKeyWithDifferentNumbersOfPermitsAreDifferentLocks() {
        LockClient.LockView three = here.client.asLock(permits(3));
        LockClient.LockView two = here.client.asLock(permits(2));
        three.lock();
        two.lock();

        assertThat(here.client.held()).hasSize(2);
        two.unlock();
        three.unlock();
    }
}
