package io.distlock.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gets a key in memory, for how long and in which order, to the nanosecond. */
class InMemoryStoreTests {

    private static final LockKey KEY = LockKey.of("orders", "42");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration INSTANT = Duration.ofNanos(1);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider provider = new InMemoryLockProvider(runtime);

    private CompletableFuture<Optional<Grant>> ask(LockMode mode, String owner, LockOptions options, Duration wait) {
        return provider.acquire(new LeaseRequest(KEY, mode, owner, options, Deadline.in(wait, ticker)));
    }

    private CompletableFuture<Optional<Grant>> ask(LockMode mode, String owner, Duration wait) {
        return ask(mode, owner, LockOptions.defaults().withLeaseTime(LEASE), wait);
    }

    private CompletableFuture<Optional<Grant>> waiting(LockMode mode, String owner) {
        return ask(mode, owner, Duration.ofMinutes(10));
    }

    private Optional<Grant> atOnce(LockMode mode, String owner) {
        return ask(mode, owner, Duration.ZERO).join();
    }

    private Lease lease(LockMode mode, String owner) {
        return atOnce(mode, owner).orElseThrow().lease();
    }

    private Optional<LockStatus> status() {
        return answer(provider.inspect(KEY));
    }

    private Duration remaining() {
        return status().orElseThrow().holders().get(0).remaining().orElseThrow();
    }

    private List<Renewal> renew(Lease... leases) {
        List<Renewal> answers = new ArrayList<>();
        provider.renew(List.of(leases), (lease, renewal) -> answers.add(renewal));
        return answers;
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Test
    void aLeaseEndsInTheInstantOfItsEnd() {
        Lease held = lease(LockMode.EXCLUSIVE, "first");
        ticker.advance(LEASE.minus(INSTANT));
        assertThat(remaining()).isEqualTo(INSTANT);
        assertThat(atOnce(LockMode.EXCLUSIVE, "second")).isEmpty();
        ticker.advance(INSTANT);
        assertThat(status()).isEmpty();
        assertThat(renew(held)).containsExactly(Renewal.NOT_OWNER);
        assertThat(atOnce(LockMode.EXCLUSIVE, "second")).isPresent();
    }

    @Test
    void aLockDelayIsPartOfTheGrantAndOfEachRenewal() {
        LockOptions delayed = LockOptions.defaults().withLeaseTime(LEASE).withLockDelay(Duration.ofSeconds(10));
        Lease held = ask(LockMode.EXCLUSIVE, "first", delayed, Duration.ZERO)
                .join()
                .orElseThrow()
                .lease();
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(40));
        ticker.advance(Duration.ofSeconds(15));
        assertThat(renew(held)).containsExactly(Renewal.RENEWED);
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void aGrantIsKeptForItsMinimumHoldTimeWhichARenewalDoesNotShorten() {
        LockOptions minimum = LockOptions.defaults().withLeaseTime(LEASE).withMinHoldTime(Duration.ofMinutes(5));
        Lease held = ask(LockMode.EXCLUSIVE, "first", minimum, Duration.ZERO)
                .join()
                .orElseThrow()
                .lease();
        assertThat(remaining()).isEqualTo(Duration.ofMinutes(5));
        assertThat(renew(held)).containsExactly(Renewal.RENEWED);
        assertThat(remaining()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void anExtensionLengthensAndNeverShortens() {
        Lease held = lease(LockMode.EXCLUSIVE, "first");
        List<Renewal> answers = new ArrayList<>();
        provider.extend(held, Duration.ofMinutes(5), (lease, renewal) -> answers.add(renewal));
        assertThat(remaining()).isEqualTo(Duration.ofMinutes(5));
        provider.extend(held, Duration.ofSeconds(1), (lease, renewal) -> answers.add(renewal));
        assertThat(remaining()).isEqualTo(Duration.ofMinutes(5));
        provider.release(held, Duration.ZERO);
        provider.extend(held, LEASE, (lease, renewal) -> answers.add(renewal));
        assertThat(answers).containsExactly(Renewal.RENEWED, Renewal.RENEWED, Renewal.NOT_OWNER);
    }

    @Test
    void theSameOwnerGetsTheSameGrantAgainWithItsWholeTime() {
        Grant first = atOnce(LockMode.EXCLUSIVE, "same").orElseThrow();
        ticker.advance(Duration.ofSeconds(10));
        Grant again = atOnce(LockMode.EXCLUSIVE, "same").orElseThrow();
        assertThat(again.lease()).isEqualTo(first.lease());
        assertThat(again.since()).isEqualTo(ticker.now());
        assertThat(remaining()).isEqualTo(LEASE);
        assertThat(status().orElseThrow().holders()).hasSize(1);
    }

    @Test
    void onlyItsOwnerReleasesAKey() {
        Lease late = lease(LockMode.EXCLUSIVE, "late");
        ticker.advance(LEASE);
        Lease held = lease(LockMode.EXCLUSIVE, "next");
        assertThat(answer(provider.release(late, Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
        assertThat(renew(late, held)).containsExactly(Renewal.NOT_OWNER, Renewal.RENEWED);
        assertThat(answer(provider.forceRelease(KEY, late.token()))).isEqualTo(Release.NOT_OWNER);
        assertThat(held.token()).isGreaterThan(late.token());
        assertThat(answer(provider.forceRelease(KEY, held.token()))).isEqualTo(Release.RELEASED);
        assertThat(status()).isEmpty();
    }

    @Test
    void aGrantIsCurrentByItsKeyTokenAndMode() {
        Lease held = lease(LockMode.SHARED, "reader");
        assertThat(isCurrent(KEY, LockMode.SHARED, held.token())).isTrue();
        assertThat(isCurrent(KEY, LockMode.EXCLUSIVE, held.token())).isFalse();
        assertThat(isCurrent(LockKey.of("orders", "43"), LockMode.SHARED, held.token()))
                .isFalse();
        assertThat(isCurrent(KEY, LockMode.SHARED, new FencingToken(held.token().value() + 1)))
                .isFalse();
    }

    private boolean isCurrent(LockKey key, LockMode mode, FencingToken token) {
        return answer(provider.isCurrent(new Sequencer(key, mode, token)));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsKeptForAMinimumHoldTimeIsNobodys(LockMode mode) {
        Lease held = lease(mode, "first");
        assertThat(answer(provider.release(held, Duration.ofSeconds(3)))).isEqualTo(Release.RELEASED);
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(3));
        assertThat(answer(provider.release(held, Duration.ZERO))).isEqualTo(Release.NOT_OWNER);
        assertThat(answer(provider.forceRelease(KEY, held.token()))).isEqualTo(Release.NOT_OWNER);
        assertThat(renew(held)).containsExactly(Renewal.NOT_OWNER);
        assertThat(isCurrent(KEY, mode, held.token())).isFalse();
        assertThat(atOnce(LockMode.EXCLUSIVE, "second")).isEmpty();
        assertThat(atOnce(LockMode.SHARED, "reader").isPresent()).isEqualTo(mode == LockMode.SHARED);
        ticker.advance(Duration.ofSeconds(3));
        assertThat(atOnce(LockMode.EXCLUSIVE, "second").isPresent()).isEqualTo(mode == LockMode.EXCLUSIVE);
    }

    @Test
    void aTimeThatIsOverKeepsNothing() {
        provider.release(lease(LockMode.EXCLUSIVE, "first"), Duration.ofSeconds(-3));
        assertThat(status()).isEmpty();
    }

    @Test
    void readersHoldTogetherAndAWriterWaitsForTheLast() {
        Lease first = lease(LockMode.SHARED, "first");
        ticker.advance(Duration.ofSeconds(10));
        Lease second = lease(LockMode.SHARED, "second");
        assertThat(status().orElseThrow().mode()).isEqualTo(LockMode.SHARED);
        assertThat(status().orElseThrow().holders())
                .extracting(LockStatus.Holder::owner)
                .containsExactly("first", "second");
        var writer = waiting(LockMode.EXCLUSIVE, "writer");
        provider.release(second, Duration.ZERO);
        assertThat(writer).isNotDone();
        provider.release(first, Duration.ZERO);
        assertThat(writer).isCompleted();
        assertThat(status().orElseThrow().mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(atOnce(LockMode.SHARED, "third")).isEmpty();
    }

    @Test
    void aWriterGetsTheKeyWhenTheLongestOfSeveralLeasesEnds() {
        lease(LockMode.SHARED, "first");
        ticker.advance(Duration.ofSeconds(10));
        lease(LockMode.SHARED, "second");
        var writer = waiting(LockMode.EXCLUSIVE, "writer");
        ticker.advance(Duration.ofSeconds(20));
        assertThat(writer).isNotDone();
        ticker.advance(Duration.ofSeconds(10).minus(INSTANT));
        assertThat(writer).isNotDone();
        ticker.advance(INSTANT);
        assertThat(writer).isCompleted();
    }

    @Test
    void nobodyOvertakesTheQueue() {
        Lease reader = lease(LockMode.SHARED, "reader");
        var writer = waiting(LockMode.EXCLUSIVE, "writer");
        var behind = waiting(LockMode.SHARED, "behind");
        assertThat(atOnce(LockMode.SHARED, "newcomer")).isEmpty();
        assertThat(status().orElseThrow().waiters()).contains(2);
        provider.release(reader, Duration.ZERO);
        assertThat(behind).isNotDone();
        Lease written = writer.join().orElseThrow().lease();
        provider.release(written, Duration.ZERO);
        assertThat(behind).isCompleted();
        assertThat(status().orElseThrow().waiters()).contains(0);
    }

    @Test
    void aWriterThatGivesUpLetsTheReadersBehindItIn() {
        lease(LockMode.SHARED, "reader");
        var writer = waiting(LockMode.EXCLUSIVE, "writer");
        var behind = waiting(LockMode.SHARED, "behind");
        writer.cancel(true);
        assertThat(behind).isCompleted();
        ask(LockMode.EXCLUSIVE, "brief", Duration.ofSeconds(1));
        var last = waiting(LockMode.SHARED, "last");
        ticker.advance(Duration.ofSeconds(1));
        assertThat(last).isCompleted();
    }

    @Test
    void whoWaitsIsRefusedWithItsDeadline() {
        lease(LockMode.EXCLUSIVE, "holder");
        var refused = ask(LockMode.EXCLUSIVE, "waiter", Duration.ofSeconds(3));
        ticker.advance(Duration.ofSeconds(3).minus(INSTANT));
        assertThat(refused).isNotDone();
        ticker.advance(INSTANT);
        assertThat(refused).isCompletedWithValue(Optional.empty());
        assertThat(status().orElseThrow().waiters()).contains(0);
    }

    @Test
    void tokensGrowWhateverTheKey() {
        long first = lease(LockMode.EXCLUSIVE, "first").token().value();
        var request = new LeaseRequest(
                LockKey.of("another"),
                LockMode.SHARED,
                "any",
                LockOptions.defaults(),
                Deadline.in(Duration.ZERO, ticker));
        assertThat(provider.acquire(request)
                        .join()
                        .orElseThrow()
                        .lease()
                        .token()
                        .value())
                .isGreaterThan(first);
    }

    @Test
    void aProviderThatIsClosedIsDownAndLeavesWhatIsHeld() {
        assertThat(provider.name()).isEqualTo("in-memory");
        lease(LockMode.EXCLUSIVE, "holder");
        var waiter = waiting(LockMode.EXCLUSIVE, "waiter");
        assertThat(answer(provider.check()).state()).isEqualTo(ProviderStatus.State.UP);
        assertThat(answer(provider.check()).details()).containsEntry("keys", 1);
        provider.close();
        assertThat(answer(provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
        assertThat(waiter).isCompletedExceptionally();
        assertThat(status()).isPresent();
    }
}
