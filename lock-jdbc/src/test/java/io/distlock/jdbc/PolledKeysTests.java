package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore.Subscription;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Looks at a row, in a time that the test makes pass. */
class PolledKeysTests {

    private static final long NOW = 1_000_000_000;
    private static final Duration SECONDS = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final List<String> woken = new ArrayList<>();
    private Optional<LockRow> row = held("other", Duration.ofHours(1));
    private boolean broken;
    private int looks;
    private final PolledKeys keys = new PolledKeys(new LockRuntime(ticker, scheduler), key -> {
        looks++;
        return broken
                ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                : CompletableFuture.completedFuture(row);
    });

    private static Optional<LockRow> held(String owner, Duration left) {
        return Optional.of(new LockRow(owner, 7, NOW + left.toNanos() / 1_000, "", 0, "", 0, NOW));
    }

    private Subscription subscribe(String who) {
        return keys.subscribe("row", () -> woken.add(who)).toCompletableFuture().join();
    }

    private void untilLookedAgain() {
        int before = looks;
        for (int millis = 0; looks == before; millis++) {
            assertThat(millis).as("milliseconds without a look").isLessThan(1_001);
            ticker.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void allWhoWaitAreWokenOnceTheLockIsFree() {
        subscribe("one");
        subscribe("two");
        ticker.advance(SECONDS);
        assertThat(woken).isEmpty();
        row = held("other", Duration.ZERO);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(woken).contains("one", "two");
    }

    @Test
    void aLockWithoutARowIsFree() {
        row = Optional.empty();
        subscribe("one");
        ticker.advance(SECONDS);
        assertThat(woken).contains("one");
    }

    @Test
    void aRenewalWakesNobodyAndAnotherHolderDoes() {
        subscribe("one");
        ticker.advance(SECONDS);
        row = held("other", Duration.ofHours(2));
        ticker.advance(SECONDS);
        assertThat(woken).isEmpty();
        row = held("third", Duration.ofHours(2));
        ticker.advance(SECONDS);
        assertThat(woken).containsExactly("one");
    }

    @Test
    void itLooksAsSoonAsTheLeaseIsOver() {
        subscribe("one");
        untilLookedAgain();
        for (int round = 0; round < 10; round++) {
            row = held("other", Duration.ofMillis(5));
            untilLookedAgain();
            int before = looks;
            ticker.advance(Duration.ofMillis(6));
            assertThat(looks).isEqualTo(before + 1);
        }
    }

    /** Readers that it has kept out may enter. */
    @Test
    void itLooksAsSoonAsAWritersMarkIsOver() {
        subscribe("reader");
        untilLookedAgain();
        long late = NOW + Duration.ofHours(1).toNanos() / 1_000;
        for (int round = 0; round < 10; round++) {
            row = Optional.of(new LockRow("", 7, 0, "other:7:" + late, late, "writer", NOW + 5_000, NOW));
            untilLookedAgain();
            int before = looks;
            ticker.advance(Duration.ofMillis(6));
            assertThat(looks).isEqualTo(before + 1);
        }
    }

    @Test
    void whoComesOnceItWasSeenToBeFreeIsWokenToo() {
        row = Optional.empty();
        subscribe("one");
        ticker.advance(SECONDS);
        woken.clear();
        subscribe("two");
        ticker.advance(SECONDS);
        assertThat(woken).contains("two");
    }

    @Test
    void whileNoLookIsAnsweredTheyGetRarerAndDoNotEnd() {
        broken = true;
        subscribe("one");
        ticker.advance(Duration.ofMinutes(1));
        looks = 0;
        ticker.advance(Duration.ofMinutes(1));
        assertThat(looks).isBetween(60, 130);
    }

    /** The look after the change was planned before it. */
    @Test
    void afterAChangeItLooksOftenAgain() {
        subscribe("one");
        for (int round = 0; round < 20; round++) {
            ticker.advance(SECONDS);
            row = held("holder " + round, Duration.ofHours(1));
            untilLookedAgain();
            untilLookedAgain();
            int before = looks;
            ticker.advance(Duration.ofMillis(200));
            assertThat(looks).isGreaterThan(before);
        }
    }

    @Test
    void aLookThatFailsIsRepeatedAndSaidToWaiters() {
        Subscription subscription = subscribe("one");
        assertThat(subscription.looksForWaiters()).isTrue();
        broken = true;
        ticker.advance(SECONDS);
        assertThat(subscription.looksForWaiters()).isFalse();
        assertThat(woken).isEmpty();
        broken = false;
        row = Optional.empty();
        ticker.advance(SECONDS);
        assertThat(subscription.looksForWaiters()).isTrue();
        assertThat(woken).contains("one");
    }

    @Test
    void nobodyLooksOnceTheLastHasLeft() {
        Subscription one = subscribe("one");
        Subscription two = subscribe("two");
        one.close();
        row = Optional.empty();
        ticker.advance(SECONDS);
        assertThat(woken).contains("two").doesNotContain("one");
        two.close();
        int before = looks;
        ticker.advance(SECONDS);
        assertThat(looks).isEqualTo(before);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoComesRightAfterTheLastHasLeftIsLookedForOnce() {
        subscribe("one").close();
        subscribe("two");
        ticker.advance(SECONDS);
        assertThat(scheduler.pending()).isEqualTo(1);
    }

    @Test
    void closingEndsAllLooks() {
        subscribe("one");
        ticker.advance(SECONDS);
        keys.close();
        int before = looks;
        ticker.advance(SECONDS);
        assertThat(looks).isEqualTo(before);
        assertThat(scheduler.pending()).isZero();
    }
}
