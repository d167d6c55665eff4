package io.distlock.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** What is observed of a lock. Time stands still; callbacks run where they arise. */
class LockObservationsTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final FaultyLockProvider provider = new FaultyLockProvider(store);
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<LockObservationContext> started = new ArrayList<>();
    private final List<LockObservationContext> stopped = new CopyOnWriteArrayList<>();
    private final LockClient client = observed(registry, null);
    private final LockClient other = LockClientBuilder.of(store, runtime).build();

    LockObservationsTests() {
        registry.observationConfig().observationHandler(new Recorder());
    }

    private final class Recorder implements ObservationHandler<LockObservationContext> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockObservationContext;
        }

        @Override
        public void onStart(LockObservationContext context) {
            started.add(context);
        }

        @Override
        public void onStop(LockObservationContext context) {
            stopped.add(context);
        }
    }

    private LockClient observed(ObservationRegistry where, LockObservationConvention convention) {
        return new LockObservations(where, convention, new MeterNameLimiter())
                .customize(LockClientBuilder.of(provider, runtime)
                        .callbackExecutor(Runnable::run)
                        .build());
    }

    private LockRequest now(String key) {
        return client.request("orders", key).withWaitTime(Duration.ZERO);
    }

    private static String low(Observation.Context context, String key) {
        return Objects.requireNonNull(context.getLowCardinalityKeyValue(key)).getValue();
    }

    private static String high(Observation.Context context, String key) {
        return Objects.requireNonNull(context.getHighCardinalityKeyValue(key)).getValue();
    }

    @Test
    void theLockOfARoleIsNotObservedForItIsNoCall() {
        client.acquire(client.request("leader", "report")).release();
        assertThat(started).isEmpty();
        client.acquire(client.request("leader")).release();
        assertThat(started).hasSize(2);
    }

    @Test
    void waitAndHoldAreObservedOneAfterTheOther() {
        HeldLock held = client.acquire(now("42"));
        assertThat(stopped).singleElement().satisfies(wait -> {
            assertThat(wait.getName()).isEqualTo("distributed.lock");
            assertThat(wait.getContextualName()).isEqualTo("wait for orders");
            assertThat(low(wait, "phase")).isEqualTo("wait");
            assertThat(low(wait, "outcome")).isEqualTo("acquired");
        });
        held.release();
        assertThat(stopped).hasSize(2).last().satisfies(hold -> {
            assertThat(hold.getContextualName()).isEqualTo("hold orders");
            assertThat(low(hold, "phase")).isEqualTo("hold");
            assertThat(low(hold, "outcome")).isEqualTo("released");
            assertThat(high(hold, "lock.token")).isEqualTo(held.fencingToken().toString());
        });
    }

    @Test
    void theKeyIsAHighCardinalityValueAndNoOther() {
        client.acquire(now("42")).release();
        assertThat(stopped).allSatisfy(context -> {
            assertThat(high(context, "lock.key")).isEqualTo("orders:42");
            assertThat(context.getLowCardinalityKeyValues().stream().map(KeyValue::getValue))
                    .noneMatch(value -> value.contains("42"));
            assertThat(context.getContextualName()).doesNotContain("42");
        });
    }

    @Test
    void bothBelongToWhatIsObservedWhereTheCallIsMade() {
        Observation method = Observation.start("method", registry);
        HeldLock others = other.acquire(now("42"));
        CompletableFuture<HeldLock> asked = method.scoped(() -> client.acquireAsync(client.request("orders", "42")));
        // Granted elsewhere.
        others.release();
        asked.join().release();
        assertThat(started)
                .hasSize(2)
                .extracting(context ->
                        Objects.requireNonNull(context.getParentObservation()).getContextView())
                .containsOnly(method.getContextView());
    }

    @Test
    void aRefusalIsAnOutcomeAndNoError() {
        other.acquire(now("42"));
        assertThat(client.tryAcquire(now("42"))).isEmpty();
        assertThatThrownBy(() -> client.acquire(now("42")));
        client.tryAcquireAsync(now("42")).join();
        client.acquireAsync(now("42"));
        assertThat(stopped).hasSize(4).allSatisfy(wait -> {
            assertThat(low(wait, "outcome")).isEqualTo("not_acquired");
            assertThat(wait.getError()).isNull();
        });
    }

    @Test
    void aSilentStoreIsAnError() {
        provider.onAcquire(Fault.ERROR);
        assertThatThrownBy(() -> client.tryAcquire(now("42")));
        assertThatThrownBy(() -> client.acquire(now("42")));
        client.tryAcquireAsync(now("42"));
        assertThat(stopped).hasSize(3).allSatisfy(wait -> {
            assertThat(low(wait, "outcome")).isEqualTo("unavailable");
            assertThat(wait.getError()).isInstanceOf(LockUnavailableException.class);
        });
    }

    @Test
    void aCallThatIsCancelledEndsItsObservationAndLeavesNothingBehind() {
        other.acquire(now("42"));
        client.acquireAsync(client.request("orders", "42")).cancel(true);
        assertThat(stopped)
                .singleElement()
                .satisfies(wait -> assertThat(low(wait, "outcome")).isEqualTo("cancelled"));
        assertThat(client.waiting()).isEmpty();
    }

    @Test
    void aCallOnAnInterruptedThreadIsObserved() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> client.acquire(now("42"))).isInstanceOf(LockInterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(stopped)
                .singleElement()
                .satisfies(wait -> assertThat(low(wait, "outcome")).isEqualTo("cancelled"));
    }

    @Test
    void severalKeysAreOneWaitAndOneHold() {
        HeldLock held = client.acquire(client.request(List.of(LockKey.of("orders", "1"), LockKey.of("orders", "2"))));
        assertThat(stopped).hasSize(1);
        held.release();
        assertThat(stopped)
                .hasSize(2)
                .last()
                .satisfies(hold -> assertThat(high(hold, "lock.token"))
                        .isEqualTo(held.sequencers().get(0).token() + ","
                                + held.sequencers().get(1).token()));
    }

    @Test
    void aHandlerThatThrowsHarmsNoCall() {
        ObservationRegistry broken = ObservationRegistry.create();
        List<LockObservationContext.Phase> ended = new CopyOnWriteArrayList<>();
        broken.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStop(Observation.Context context) {
                ended.add(((LockObservationContext) context).phase());
                throw new IllegalStateException("handler fails on purpose");
            }
        });
        LockClient watched = observed(broken, null);
        assertThatCode(() -> watched.acquire(now("42")).close()).doesNotThrowAnyException();
        assertThat(ended).containsExactly(LockObservationContext.Phase.WAIT, LockObservationContext.Phase.HOLD);
        assertThat(other.tryAcquire(now("42"))).isPresent();
    }

    @Test
    void aLossIsAnError() {
        client.acquire(now("42").withRenew(false));
        ticker.advance(Duration.ofSeconds(30));
        await().until(() -> stopped.size() == 2);
        assertThat(stopped).last().satisfies(hold -> {
            assertThat(low(hold, "outcome")).isEqualTo("lost");
            assertThat(hold.getError()).isInstanceOf(LockLostException.class);
        });
        assertThat(stopped).hasSize(2);
    }

    @Test
    void closingEndsAHoldOnce() {
        try (HeldLock held = client.acquire(now("42"))) {
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(stopped).hasSize(2);
    }

    @Test
    void theViewAsALockIsObserved() {
        Lock lock = client.asLock(now("42"));
        lock.lock();
        try {
            assertThat(stopped).hasSize(1);
        } finally {
            lock.unlock();
        }
        assertThat(stopped).hasSize(2);
    }

    @Test
    void ofManyKeysSomeAreNamed() {
        client.acquire(client.request(IntStream.range(100, 150)
                .mapToObj(key -> LockKey.of("orders", "" + key))
                .toList()));
        assertThat(high(stopped.get(0), "lock.key"))
                .startsWith("orders:100,orders:101")
                .endsWith("and 40 more");
    }

    @Test
    void aConventionOfTheUsersTakesTheDefaultsPlace() {
        LockClient own = observed(registry, new DefaultLockObservationConvention() {
            @Override
            public String getName() {
                return "own";
            }
        });
        own.acquire(now("42")).release();
        assertThat(stopped).extracting(Observation.Context::getName).containsOnly("own");
    }

    @Test
    void whereNobodyObservesTheClientIsLeftAsItIs() {
        LockClient plain = Mockito.mock(LockClient.class);
        assertThat(new LockObservations(ObservationRegistry.NOOP, null, new MeterNameLimiter()).customize(plain))
                .isSameAs(plain);
        Mockito.verifyNoInteractions(plain);
    }
}
