package io.distlock.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.support.ClockJumpDetector;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** What is counted, under which tags. Time stands still; callbacks run where they arise. */
class LockMetricsTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final FaultyLockProvider provider = new FaultyLockProvider(store);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final MeterNameLimiter names = new MeterNameLimiter();
    private final LockClient client = new LockMetrics(registry, names, ticker)
            .customize(LockClientBuilder.of(provider, runtime)
                    .callbackExecutor(Runnable::run)
                    .build());
    private final LockClient other = LockClientBuilder.of(store, runtime).build();

    private LockRequest now(String name) {
        return client.request(name, "42").withWaitTime(Duration.ZERO);
    }

    private Timer timer(String name, String... tags) {
        return registry.get(name)
                .tags("lock", "orders", "provider", "in-memory")
                .tags(tags)
                .timer();
    }

    private double count(String name, String... tags) {
        return registry.get(name)
                .tags("lock", "orders", "provider", "in-memory")
                .tags(tags)
                .counter()
                .count();
    }

    private double gauge(String name) {
        ticker.advance(Duration.ofSeconds(1));
        return registry.get(name)
                .tags("lock", "orders", "provider", "in-memory")
                .gauge()
                .value();
    }

    /** Waits until listeners have heard of a loss, which they do on another thread, before the holder. */
    private static void told(HeldLock lost) {
        assertThat(lost.lost()).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void theLockOfARoleIsCountedByRoleAndItsDaysAreNotTimed() {
        HeldLock others = other.acquire(client.request("leader", "report"));
        var asked = client.acquireAsync(client.request("leader", "report").withWaitTime(Duration.ofHours(20)));
        client.acquire(now("orders")).release();
        ticker.advance(Duration.ofSeconds(10));
        others.release();
        HeldLock term = asked.join();
        client.tryAcquire(now("leader"));
        other.forceRelease(term.keys().get(0), term.fencingToken());
        term.release();
        told(term);

        assertThat(registry.get("distributed.lock.lost")
                        .tags("lock", "leader:report", "reason", "not_owner")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.find("distributed.lock.acquire")
                        .tag("lock", "leader:report")
                        .timers())
                .isEmpty();
        assertThat(registry.find("distributed.lock.held")
                        .tag("lock", "leader:report")
                        .timers())
                .isEmpty();
        assertThat(timer("distributed.lock.acquire", "mode", "exclusive", "outcome", "acquired")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void whoStandsForElectionIsNoCallThatWaits() {
        other.acquire(client.request("leader", "report"));
        other.acquire(now("orders"));
        client.tryAcquire(now("leader"));
        client.tryAcquire(client.request("leader", "report").withWaitTime(Duration.ZERO));
        client.acquireAsync(client.request("leader", "report"));
        client.tryAcquire(now("orders"));
        client.acquireAsync(client.request("orders", "42"));
        ticker.advance(Duration.ofSeconds(1));

        assertThat(registry.get("distributed.lock.waiting")
                        .tag("lock", "leader:report")
                        .gauge()
                        .value())
                .isZero();
        assertThat(gauge("distributed.lock.waiting")).isEqualTo(1);
    }

    @Test
    void aGrantIsTimedFromTheCall() {
        HeldLock others = other.acquire(now("orders"));
        var asked = client.acquireAsync(client.request("orders", "42"));
        ticker.advance(Duration.ofSeconds(2));
        others.release();
        assertThat(asked).isCompleted();
        Timer acquired = timer("distributed.lock.acquire", "mode", "exclusive", "outcome", "acquired");
        assertThat(acquired.count()).isEqualTo(1);
        assertThat(acquired.totalTime(TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void aRefusalAndASilentStoreAreDifferentOutcomes() {
        other.acquire(now("orders").withMode(LockMode.SHARED));
        client.tryAcquire(now("orders"));
        provider.onAcquire(Fault.ERROR);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(now("orders")));
        assertThat(timer("distributed.lock.acquire", "outcome", "not_acquired").count())
                .isEqualTo(1);
        assertThat(timer("distributed.lock.acquire", "outcome", "unavailable").count())
                .isEqualTo(1);
    }

    @Test
    void aCallThatIsGivenUpIsAnOutcomeOfItsOwn() {
        other.acquire(now("orders"));
        client.acquireAsync(client.request("orders", "42")).cancel(true);
        assertThat(timer("distributed.lock.acquire", "outcome", "cancelled").count())
                .isEqualTo(1);
    }

    @Test
    void aReleaseIsTimedFromTheGrant() {
        HeldLock held = client.acquire(now("orders").withMode(LockMode.SHARED));
        ticker.advance(Duration.ofSeconds(3));
        held.release();
        Timer released = timer("distributed.lock.held", "mode", "shared", "outcome", "released");
        assertThat(released.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
    }

    @Test
    void aReleaseThatIsNotAnsweredIsUnknown() {
        HeldLock held = client.acquire(now("orders"));
        provider.onRelease(Fault.REPLY_LOST);
        held.release();
        assertThat(timer("distributed.lock.held", "outcome", "unknown").count()).isEqualTo(1);
        assertThat(registry.find("distributed.lock.held")
                        .tag("outcome", "released")
                        .timer())
                .isNull();
    }

    @Test
    void aLossIsTimedAndCountedByItsReason() {
        HeldLock held = client.acquire(now("orders").withRenew(false));
        assertThat(count("distributed.lock.lost", "reason", "expired")).isZero();
        ticker.advance(Duration.ofSeconds(30));
        told(held);
        assertThat(count("distributed.lock.lost", "reason", "expired")).isEqualTo(1);
        assertThat(count("distributed.lock.lost", "reason", "not_owner")).isZero();
        assertThat(timer("distributed.lock.held", "outcome", "lost").count()).isEqualTo(1);
    }

    @Test
    void renewalsAreCountedByWhetherTheyWereConfirmed() {
        client.acquire(now("orders"));
        assertThat(count("distributed.lock.renewals", "outcome", "unconfirmed")).isZero();
        ticker.advance(Duration.ofSeconds(11));
        assertThat(count("distributed.lock.renewals", "outcome", "confirmed")).isEqualTo(1);
        provider.onRenew(Fault.REPLY_LOST);
        ticker.advance(Duration.ofSeconds(11));
        assertThat(count("distributed.lock.renewals", "outcome", "unconfirmed")).isPositive();
    }

    @Test
    void gaugesTellWhatIsHeldAndWaitedForNow() {
        HeldLock held = client.acquire(now("orders"));
        client.acquireAsync(client.request("orders", "42").withWaitTime(Duration.ofMinutes(1)));
        client.acquire(client.request("orders", "43"));
        assertThat(gauge("distributed.lock.active")).isEqualTo(2);
        assertThat(gauge("distributed.lock.waiting")).isEqualTo(1);
        held.release();
        assertThat(gauge("distributed.lock.active")).isEqualTo(2);
        assertThat(gauge("distributed.lock.waiting")).isZero();
    }

    @Test
    void theTagIsTheNameAndNeverTheKey() {
        for (int key = 0; key < 1_000; key++) {
            client.acquire(client.request("orders", "" + key)).release();
        }
        assertThat(registry.find("distributed.lock.acquire").timers()).hasSize(1);
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().toString()).doesNotContain("999"));
    }

    @Test
    void namesThatCodeMakesUpAreToldApartUpToAHundredAndThoseOfAnnotationsAlways() {
        for (int name = 0; name < 250; name++) {
            client.acquire(client.request("made-up-" + name)).release();
        }
        names.declare("declared");
        client.acquire(client.request("declared")).release();
        assertThat(registry.find("distributed.lock.acquire").timers()).hasSize(102);
        assertThat(registry.get("distributed.lock.acquire")
                        .tag("lock", "other")
                        .timer()
                        .count())
                .isEqualTo(150);
        assertThat(registry.get("distributed.lock.acquire")
                        .tag("lock", "declared")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void gaugesOfNamesThatAreNotToldApartAreCountedTogether() {
        for (int name = 0; name < 250; name++) {
            client.acquire(client.request("made-up-" + name));
        }
        ticker.advance(Duration.ofSeconds(1));
        assertThat(registry.get("distributed.lock.active")
                        .tag("lock", "other")
                        .gauge()
                        .value())
                .isEqualTo(150);
    }

    @Test
    void whateverItsEndAWaitIsTimed() {
        other.acquire(now("orders"));
        LockRequest patient = client.request("orders", "42").withWaitTime(Duration.ofSeconds(2));
        client.acquireAsync(patient);
        ticker.advance(Duration.ofSeconds(2));
        assertThat(timer("distributed.lock.acquire", "outcome", "not_acquired").totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        CompletableFuture<HeldLock> givenUp = client.acquireAsync(patient.withWaitTime(Duration.ofSeconds(9)));
        ticker.advance(Duration.ofSeconds(3));
        givenUp.cancel(true);
        assertThat(timer("distributed.lock.acquire", "outcome", "cancelled").totalTime(TimeUnit.SECONDS))
                .isEqualTo(3);
    }

    @Test
    void aLossIsTimedFromTheGrantAndNotFromTheLastRenewal() {
        HeldLock held = client.acquire(now("orders"));
        ticker.advance(Duration.ofSeconds(20));
        provider.onRenew(Fault.SILENCE);
        ticker.advance(Duration.ofSeconds(40));
        told(held);
        // A lease of 30 s, last renewed 9 to 20 s after the grant.
        assertThat(timer("distributed.lock.held", "outcome", "lost").totalTime(TimeUnit.SECONDS))
                .isGreaterThan(35);
    }

    @Test
    void aReleaseThatFindsAnotherOwnerIsALoss() {
        assertThat(LockMetrics.Outcome.of(Release.NOT_OWNER)).isEqualTo(LockMetrics.Outcome.LOST);
        assertThat(LockMetrics.Outcome.of(Release.UNKNOWN)).isEqualTo(LockMetrics.Outcome.UNKNOWN);
    }

    @Test
    void callsThatWaitForOneKeyAreCountedEach() {
        client.acquire(client.request("orders", "43"));
        other.acquire(now("orders"));
        for (int call = 0; call < 3; call++) {
            client.acquireAsync(client.request("orders", "42").withWaitTime(Duration.ofMinutes(1)));
        }
        assertThat(gauge("distributed.lock.waiting")).isEqualTo(3);
    }

    /** A registry reads one gauge after another: a thousand names must not each walk through all locks. */
    @Test
    void theLocksAreCountedOnceForAllGaugesOfAMoment() {
        client.acquire(now("orders"));
        assertThat(gauge("distributed.lock.active")).isEqualTo(1);
        client.acquire(client.request("orders", "43"));
        ticker.advance(Duration.ofMillis(999));
        assertThat(registry.get("distributed.lock.active").gauge().value()).isEqualTo(1);
        ticker.advance(Duration.ofMillis(1));
        assertThat(registry.get("distributed.lock.active").gauge().value()).isEqualTo(2);
    }

    @Test
    void eachEndOfTheReaperHasItsOwnCount() {
        new LockMetrics.RuntimeMeters(runtime).bindTo(registry);
        for (int count = 0; count < 2; count++) {
            runtime.reaper()
                    .reap("absent", Duration.ofMinutes(1), () -> CompletableFuture.completedFuture(Release.NOT_OWNER));
        }
        runtime.reaper().reap("silent", Duration.ofSeconds(1), CompletableFuture::new);
        for (int look = 0; look < 8; look++) {
            ticker.advance(Duration.ofSeconds(5));
        }
        assertThat(reaped("absent")).isEqualTo(2);
        assertThat(reaped("expired")).isEqualTo(1);
        assertThat(reaped("dropped")).isZero();
    }

    @Test
    void eachDirectionOfTheClocksIsCountedOnItsOwn() {
        ClockJumpDetector clocks = Mockito.mock(ClockJumpDetector.class);
        Mockito.when(clocks.forward()).thenReturn(1L);
        Mockito.when(clocks.backward()).thenReturn(2L);
        LockRuntime jumping = Mockito.mock(LockRuntime.class);
        Mockito.when(jumping.reaper()).thenReturn(runtime.reaper());
        Mockito.when(jumping.clockJumps()).thenReturn(clocks);
        new LockMetrics.RuntimeMeters(jumping).bindTo(registry);
        assertThat(anomalies("forward")).isEqualTo(1);
        assertThat(anomalies("backward")).isEqualTo(2);
    }

    private double anomalies(String direction) {
        return registry.get("distributed.lock.clock.anomalies")
                .tag("direction", direction)
                .functionCounter()
                .count();
    }

    @Test
    void gaugesAreRightFromTheFirstSecondOn() {
        client.acquire(now("orders"));
        assertThat(registry.get("distributed.lock.active").gauge().value()).isEqualTo(1);
    }

    private double reaped(String outcome) {
        return registry.get("distributed.lock.reaped")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    @Test
    void noMeterIsMadeForWhatHasNotHappened() {
        client.acquire(now("orders")).release();
        assertThat(registry.find("distributed.lock.acquire").timers()).hasSize(1);
        assertThat(registry.find("distributed.lock.held").timers()).hasSize(1);
    }

    @Test
    void everyMeterIsOneOfTheDocumentedOnes() {
        new LockMetrics.RuntimeMeters(runtime).bindTo(registry);
        client.acquire(now("orders"));
        ticker.advance(Duration.ofSeconds(11));
        client.acquireAsync(client.request(LockKey.of("orders", "42"))).cancel(true);
        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .isSubsetOf(Arrays.stream(LockMetrics.Meters.values())
                        .map(LockMetrics.Meters::meterName)
                        .toList());
    }

    @Test
    void whatTheReaperDoesIsCounted() {
        new LockMetrics.RuntimeMeters(runtime).bindTo(registry);
        HeldLock held = client.acquire(now("orders"));
        provider.onRelease(Fault.ERROR);
        held.release();
        assertThat(registry.get("distributed.lock.reaper.pending").gauge().value())
                .isEqualTo(1);
        provider.onRelease(Fault.NONE);
        for (int look = 0; look < 4; look++) {
            ticker.advance(Duration.ofSeconds(5));
        }
        assertThat(registry.get("distributed.lock.reaper.pending").gauge().value())
                .isZero();
        assertThat(registry.get("distributed.lock.reaped")
                        .tag("outcome", "withdrawn")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }
}
