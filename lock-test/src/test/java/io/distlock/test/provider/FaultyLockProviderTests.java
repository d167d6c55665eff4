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
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
        return provider.acquire(new LeaseRequest(
                key,
                LockMode.EXCLUSIVE,
                "owner of " + key,
                LockOptions.defaults().withLeaseTime(LEASE),
                Deadline.in(Duration.ZERO, ticker)));
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
        assertThat(answers).isEqualTo(fault == Fault.LATE ? List.of() : List.of(answer));
        provider.deliver();
        assertThat(answers).containsExactly(answer);
        provider.extend(lease, LEASE.multipliedBy(2), (same, renewal) -> answers.add(renewal));
        assertThat(remaining(KEY)).isEqualTo(LEASE.multipliedBy(2));
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

    @Test
    void aReleaseKeepsTheKeyForAsLongAsItIsTold() {
        provider.release(lease(KEY), Duration.ofSeconds(3));
        assertThat(remaining(KEY)).isEqualTo(Duration.ofSeconds(3));
        provider.onRelease(Fault.LATE);
        provider.release(lease(OTHER), Duration.ofSeconds(4));
        assertThat(remaining(OTHER)).isEqualTo(Duration.ofSeconds(4));
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
    void theProviderBehindItChecksOptionsAndHearsOfWatchers() {
        List<String> calls = new ArrayList<>();
        FaultyLockProvider passing = new FaultyLockProvider(
                (LockProvider) Proxy.newProxyInstance(
                        LockProvider.class.getClassLoader(),
                        new Class<?>[] {LockProvider.class},
                        (self, called, with) -> {
                            calls.add(called.getName());
                            return null;
                        }),
                "any");
        passing.validate(LockOptions.defaults());
        passing.onLoss(lease(KEY), () -> {});
        assertThat(calls).containsExactly("validate", "onLoss");
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
