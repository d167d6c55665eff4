package io.distlock.test.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each fault does: whether the call is applied at the store, and how it is answered. */
class FaultyLockProviderTests {

    private static final LockKey KEY = LockKey.of("orders", "42");
    private static final LockKey OTHER = LockKey.of("orders", "43");
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final FaultyLockProvider provider = new FaultyLockProvider(store, "etcd");

    private CompletableFuture<Optional<Grant>> acquire(LockKey key) {
        return provider.acquire(request(key, "owner of " + key, Duration.ZERO));
    }

    private LeaseRequest request(LockKey key, String owner, Duration wait) {
        return new LeaseRequest(
                key, LockMode.EXCLUSIVE, owner, LockOptions.defaults().withLeaseTime(LEASE), Deadline.in(wait, ticker));
    }

    private Lease lease(LockKey key) {
        return acquire(key).join().orElseThrow().lease();
    }

    private boolean isHeld(LockKey key) {
        return answer(store.inspect(key)).isPresent();
    }

    private Duration remaining(LockKey key) {
        return answer(store.inspect(key))
                .orElseThrow()
                .holders()
                .get(0)
                .remaining()
                .orElseThrow();
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Test
    void withoutFaultsItIsTheProviderBehindItByAnotherName() {
        assertThat(provider.name()).isEqualTo("etcd");
        assertThat(new FaultyLockProvider(store).name()).isEqualTo("in-memory");
        assertThat(provider.behind()).isSameAs(store);
        assertThat(provider.callTimeout()).isEqualTo(store.callTimeout());
        assertThat(provider.clockDrift()).isEqualTo(store.clockDrift());
        assertThat(answer(provider.connected())).isTrue();
        Lease lease = lease(KEY);
        assertThat(isHeld(KEY)).isTrue();
        assertThat(answer(provider.inspect(KEY))).isEqualTo(answer(store.inspect(KEY)));
        assertThat(answer(provider.forceRelease(KEY, lease.token()))).isEqualTo(Release.RELEASED);
        provider.close();
        assertThat(answer(provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
    }

    @Test
    void anAnswerThatIsLateIsThatOfACallThatWasAppliedAtOnce() {
        provider.onAcquire(Fault.LATE);
        var late = acquire(KEY);
        assertThat(isHeld(KEY)).isTrue();
        assertThat(late.cancel(true)).isFalse();
        assertThat(late).isNotDone();
        provider.heal();
        assertThat(late).isNotDone();
        provider.deliver();
        assertThat(late).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void answersThatAreLateArriveInTheOrderOfTheirCalls() {
        provider.onAcquire(Fault.LATE);
        List<LockKey> arrived = new ArrayList<>();
        for (LockKey each : List.of(KEY, OTHER)) {
            acquire(each).thenRun(() -> arrived.add(each));
        }
        provider.deliver();
        assertThat(arrived).containsExactly(KEY, OTHER);
    }

    @Test
    void aCallWithoutAFaultCanBeCancelled() {
        Lease held = lease(KEY);
        provider.acquire(request(KEY, "another", Duration.ofMinutes(1))).cancel(true);
        provider.release(held, Duration.ZERO);
        assertThat(isHeld(KEY)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "LATE"})
    void aCallThatFailsBehindItFails(Fault fault) {
        Lease lease = lease(KEY);
        FaultyLockProvider broken = before((called, with) -> CompletableFuture.failedFuture(new IOException(called)));
        broken.onIsCurrent(fault);
        broken.onRelease(fault);
        var current = broken.isCurrent(new Sequencer(KEY, LockMode.EXCLUSIVE, lease.token()));
        var released = broken.release(lease, Duration.ZERO);
        broken.deliver();
        assertThat(current.toCompletableFuture()).isCompletedExceptionally();
        assertThat(released.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aReplyThatIsLostIsThatOfACallThatWasApplied() {
        provider.onAcquire(Fault.REPLY_LOST);
        assertThat(acquire(KEY)).isCompletedExceptionally();
        assertThat(isHeld(KEY)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSED", "ERROR", "SILENCE"})
    void otherFaultsAreThoseOfACallThatWasNotApplied(Fault fault) {
        provider.onAcquire(fault);
        var answer = acquire(KEY);
        assertThat(isHeld(KEY)).isFalse();
        assertThat(answer.isDone()).isEqualTo(fault != Fault.SILENCE);
        assertThat(answer.isCompletedExceptionally()).isEqualTo(fault == Fault.ERROR);
    }

    @Test
    void aCallThatThrowsIsNotApplied() {
        provider.onAcquire(Fault.THROW);
        assertThatIllegalStateException().isThrownBy(() -> acquire(KEY));
        assertThat(isHeld(KEY)).isFalse();
    }

    @Test
    void theFaultOfOneKeyGoesBeforeThatOfTheOthers() {
        provider.onAcquire(KEY, Fault.REFUSED);
        provider.onAcquire(Fault.ERROR);
        assertThat(acquire(KEY)).isCompletedWithValue(Optional.empty());
        assertThat(acquire(OTHER)).isCompletedExceptionally();
        provider.onAcquire(Fault.NONE);
        assertThat(acquire(OTHER)).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void oneKeyCanBeSparedTheFaultOfTheOthers() {
        provider.onAcquire(Fault.ERROR);
        provider.onAcquire(KEY, Fault.NONE);
        assertThat(acquire(KEY)).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(acquire(OTHER)).isCompletedExceptionally();
    }

    @Test
    void eachRenewalHasTheFaultOfItsKey() {
        Lease silent = lease(KEY);
        Lease renewed = lease(OTHER);
        ticker.advance(Duration.ofSeconds(10));
        provider.onRenew(KEY, Fault.SILENCE);
        List<String> answers = new ArrayList<>();
        provider.renew(List.of(silent, renewed), (lease, renewal) -> answers.add(lease.key() + " " + renewal));
        assertThat(answers).containsExactly("orders:43 RENEWED");
        assertThat(remaining(KEY)).isEqualTo(Duration.ofSeconds(20));
        assertThat(remaining(OTHER)).isEqualTo(LEASE);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "LATE", "REPLY_LOST"})
    void aRenewalIsAppliedWhateverHappensToItsAnswer(Fault fault) {
        Lease lease = lease(KEY);
        ticker.advance(Duration.ofSeconds(10));
        provider.onRenew(fault);
        List<Renewal> answers = new ArrayList<>();
        provider.renew(List.of(lease), (same, renewal) -> answers.add(renewal));
        assertThat(remaining(KEY)).isEqualTo(LEASE);
        Renewal answer = fault == Fault.REPLY_LOST ? Renewal.UNKNOWN : Renewal.RENEWED;
        List<Renewal> atOnce = fault == Fault.LATE ? List.of() : List.of(answer);
        assertThat(answers).isEqualTo(atOnce);
        provider.deliver();
        assertThat(answers).containsExactly(answer);
        answers.clear();
        provider.extend(lease, LEASE.multipliedBy(2), (same, renewal) -> answers.add(renewal));
        assertThat(remaining(KEY)).isEqualTo(LEASE.multipliedBy(2));
        assertThat(answers).isEqualTo(atOnce);
        provider.deliver();
        assertThat(answers).containsExactly(answer);
    }

    @ParameterizedTest
    @EnumSource(names = {"ERROR", "THROW"})
    void aRenewalThatThrowsSpoilsItsBatch(Fault fault) {
        Lease broken = lease(KEY);
        Lease same = lease(OTHER);
        ticker.advance(Duration.ofSeconds(10));
        provider.onRenew(KEY, fault);
        assertThatIllegalStateException()
                .isThrownBy(() -> provider.renew(List.of(same, broken), (lease, renewal) -> {}));
        assertThatIllegalStateException().isThrownBy(() -> provider.extend(broken, LEASE, (lease, renewal) -> {}));
        assertThat(remaining(OTHER)).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void onlyAnAcquisitionCanBeRefused() {
        Lease lease = lease(KEY);
        provider.onRenew(Fault.REFUSED);
        provider.onRelease(Fault.REFUSED);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.renew(List.of(lease), (same, renewal) -> {}));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.release(lease, Duration.ZERO));
    }

    @Test
    void aReleaseWhoseReplyIsLostIsAppliedAndUnknown() {
        provider.onRelease(Fault.REPLY_LOST);
        assertThat(answer(provider.release(lease(KEY), Duration.ZERO))).isEqualTo(Release.UNKNOWN);
        assertThat(isHeld(KEY)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "LATE", "REPLY_LOST"})
    void aReleaseKeepsTheKeyForAsLongAsItIsTold(Fault fault) {
        provider.onRelease(fault);
        provider.release(lease(KEY), Duration.ofSeconds(3));
        assertThat(remaining(KEY)).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aReleaseHasTheFaultOfItsKey() {
        provider.onRelease(KEY, Fault.ERROR);
        assertThat(provider.release(lease(KEY), Duration.ZERO).toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(answer(provider.release(lease(OTHER), Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertThat(isHeld(KEY)).isTrue();
    }

    @Test
    void questionsAndForcedReleasesHaveFaultsOfTheirOwn() {
        Lease lease = lease(KEY);
        Sequencer sequencer = new Sequencer(KEY, LockMode.EXCLUSIVE, lease.token());
        assertThat(answer(provider.isCurrent(sequencer))).isTrue();
        provider.onIsCurrent(Fault.ERROR);
        assertThat(provider.isCurrent(sequencer).toCompletableFuture()).isCompletedExceptionally();
        provider.onForceRelease(Fault.SILENCE);
        assertThat(provider.forceRelease(KEY, lease.token()).toCompletableFuture())
                .isNotDone();
        assertThat(isHeld(KEY)).isTrue();
        provider.heal();
        assertThat(answer(provider.isCurrent(sequencer))).isTrue();
        assertThat(answer(provider.forceRelease(
                        KEY, new FencingToken(lease.token().value() + 1))))
                .isEqualTo(Release.NOT_OWNER);
        assertThat(answer(provider.forceRelease(KEY, lease.token()))).isEqualTo(Release.RELEASED);
    }

    @Test
    void healingEndsTheFaultsOfAllCalls() {
        provider.onAcquire(KEY, Fault.ERROR);
        provider.onRenew(Fault.ERROR);
        provider.onRenew(KEY, Fault.ERROR);
        provider.onRelease(Fault.ERROR);
        provider.heal();
        Lease lease = lease(KEY);
        List<Renewal> answers = new ArrayList<>();
        provider.renew(List.of(lease), (same, renewal) -> answers.add(renewal));
        assertThat(answers).containsExactly(Renewal.RENEWED);
        assertThat(answer(provider.release(lease, Duration.ZERO))).isEqualTo(Release.RELEASED);
    }

    @Test
    void countsTheCalls() {
        Lease first = lease(KEY);
        Lease second = lease(OTHER);
        provider.renew(List.of(first), (lease, renewal) -> {});
        provider.renew(List.of(first, second), (lease, renewal) -> {});
        provider.release(first, Duration.ZERO);
        assertThat(provider.acquires()).isEqualTo(2);
        assertThat(provider.renewals()).isEqualTo(2);
        assertThat(provider.renewalBatches()).containsExactly(1, 2);
        assertThat(provider.releases()).isEqualTo(1);
    }

    @Test
    void callsWithFaultsAreCountedToo() {
        Lease lease = lease(KEY);
        for (Fault fault : List.of(Fault.REFUSED, Fault.ERROR, Fault.SILENCE, Fault.LATE)) {
            provider.onAcquire(fault);
            acquire(OTHER);
        }
        provider.onRenew(Fault.SILENCE);
        provider.renew(List.of(lease), (same, renewal) -> {});
        provider.onRenew(Fault.ERROR);
        assertThatIllegalStateException().isThrownBy(() -> provider.renew(List.of(lease), (same, renewal) -> {}));
        for (Fault fault : List.of(Fault.ERROR, Fault.SILENCE, Fault.REPLY_LOST)) {
            provider.onRelease(fault);
            provider.release(lease, Duration.ZERO);
        }
        assertThat(provider.acquires()).isEqualTo(5);
        assertThat(provider.renewals()).isEqualTo(2);
        assertThat(provider.renewalBatches()).containsExactly(1, 1);
        assertThat(provider.releases()).isEqualTo(3);
    }

    private static FaultyLockProvider before(BiFunction<String, Object[], Object> behind) {
        return new FaultyLockProvider(
                (LockProvider) Proxy.newProxyInstance(
                        LockProvider.class.getClassLoader(),
                        new Class<?>[] {LockProvider.class},
                        (self, called, with) -> behind.apply(called.getName(), with)),
                "any");
    }

    @Test
    void theProviderBehindItChecksOptionsAndHearsOfWatchers() {
        List<String> calls = new ArrayList<>();
        FaultyLockProvider passing = before((called, with) -> {
            calls.add(called);
            return null;
        });
        passing.validate(LockOptions.defaults());
        passing.onLoss(lease(KEY), () -> {});
        assertThat(calls).containsExactly("validate", "onLoss");
    }

    /** Whose answers are not those of most providers. */
    @Test
    void itsLimitsAndItsStateAreThoseOfTheProviderBehindIt() {
        Map<String, Object> answers = Map.of(
                "callTimeout",
                Duration.ofSeconds(7),
                "clockDrift",
                0.25,
                "connected",
                CompletableFuture.completedFuture(false),
                "check",
                new CompletableFuture<>(),
                "inspect",
                new CompletableFuture<>());
        FaultyLockProvider passing = before((called, with) -> answers.get(called));
        assertThat(passing.callTimeout()).isEqualTo(answers.get("callTimeout"));
        assertThat(passing.clockDrift()).isEqualTo(answers.get("clockDrift"));
        assertThat(passing.connected()).isSameAs(answers.get("connected"));
        assertThat(passing.check()).isSameAs(answers.get("check"));
        assertThat(passing.inspect(KEY)).isSameAs(answers.get("inspect"));
    }

    @Test
    void whoWatchesLossesCanReportThem() {
        List<Runnable> watched = new ArrayList<>();
        provider.onLossWatched(watched::add);
        List<String> lost = new ArrayList<>();
        provider.onLoss(lease(KEY), () -> lost.add("lost"));
        watched.forEach(Runnable::run);
        assertThat(lost).containsExactly("lost");
    }
}
