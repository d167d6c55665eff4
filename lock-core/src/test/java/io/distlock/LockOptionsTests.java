package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LockOptionsTests {

    private final LockOptions options = LockOptions.defaults();

    @Test
    void aWaitIsNotNegativeNorEndless() {
        assertThat(options.withWaitTime(Duration.ZERO).waitTime()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withWaitTime(Duration.ofMillis(-1)))
                .withMessageContaining("wait time -1ms is out of range");
        assertThatIllegalArgumentException().isThrownBy(() -> options.withWaitTime(Duration.ofDays(8)));
    }

    @Test
    void aLeaseIsNeitherZeroNorNegativeNorLongerThanADay() {
        for (Duration lease : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofHours(25))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withLeaseTime(lease))
                    .withMessageContaining("lease time " + LockOptions.text(lease) + " is out of range");
        }
    }

    @Test
    void aLeaseTooShortToRenewIsRefusedWithTheCure() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withLeaseTime(Duration.ofMillis(200)))
                .withMessageContaining("too short to renew")
                .withMessageContaining("turn renewal off");
        assertThat(options.withRenew(false)
                        .withLeaseTime(Duration.ofMillis(200))
                        .leaseTime())
                .isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void theMaximumHoldTimeCoversALease() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withMaxHoldTime(Duration.ofSeconds(10)))
                .withMessageContaining("maximum hold time 10s is shorter than the lease time 30s");
    }

    @Test
    void aLockDelayIsAtMostAMinute() {
        assertThatIllegalArgumentException().isThrownBy(() -> options.withLockDelay(Duration.ofSeconds(61)));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withLockDelay(Duration.ofSeconds(-1)));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThat(options.withWaitTime(LockOptions.MAX_WAIT).waitTime()).isEqualTo(Duration.ofDays(7));
        assertThat(options.withMaxHoldTime(LockOptions.MAX_HOLD)
                        .withLeaseTime(LockOptions.MAX_LEASE)
                        .leaseTime())
                .isEqualTo(Duration.ofDays(1));
        assertThat(options.withRenew(false).withLeaseTime(LockOptions.MIN_LEASE).leaseTime())
                .isEqualTo(Duration.ofMillis(100));
        assertThat(options.withLeaseTime(LockOptions.MIN_RENEWED_LEASE).leaseTime())
                .isEqualTo(Duration.ofMillis(300));
        assertThat(options.withLockDelay(LockOptions.MAX_LOCK_DELAY).lockDelay())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(options.withMaxHoldTime(Duration.ofSeconds(30)).maxHoldTime())
                .isEqualTo(options.leaseTime());
        assertThatNullPointerException()
                .isThrownBy(() -> options.withLeaseTime(null))
                .withMessage("lease time must not be null");
    }

    @Test
    void theStoreKeepsAKeyForTheLeaseAndTheLockDelayOrForTheMinimumHoldTimeIfThatIsLonger() {
        LockOptions delayed = options.withLockDelay(Duration.ofSeconds(5));
        assertThat(delayed.timeToLive()).isEqualTo(Duration.ofSeconds(35));
        assertThat(delayed.withMinHoldTime(Duration.ofSeconds(34)).timeToLive()).isEqualTo(Duration.ofSeconds(35));
        assertThat(delayed.withMinHoldTime(Duration.ofSeconds(36)).timeToLive()).isEqualTo(Duration.ofSeconds(36));
    }

    @Test
    void aRequestPassesEachOptionOn() {
        LockRequest request = LockRequest.of(options.withRenew(false), List.of(LockKey.of("a")))
                .withMode(LockMode.SHARED)
                .withWaitTime(Duration.ofSeconds(1))
                .withLeaseTime(Duration.ofSeconds(2))
                .withMaxHoldTime(Duration.ofSeconds(3))
                .withMinHoldTime(Duration.ofSeconds(4))
                .withLockDelay(Duration.ofSeconds(5));
        assertThat(request.mode()).isEqualTo(LockMode.SHARED);
        assertThat(request.options())
                .isEqualTo(new LockOptions(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        false,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5)));
        assertThat(request.withMaxHoldTime(Duration.ofHours(1))
                        .withRenew(true)
                        .options()
                        .renew())
                .isTrue();
    }

    @Test
    void aRequestSortsItsKeysAndDropsRepeats() {
        LockRequest request = LockRequest.of(options, List.of(LockKey.of("b"), LockKey.of("a"), LockKey.of("b")));
        assertThat(request.keys()).containsExactly(LockKey.of("a"), LockKey.of("b"));
    }

    @Test
    void aRequestNamesAtLeastOneKeyAndNotTooMany() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(options, List.of()))
                .withMessageContaining("not 0");
        List<LockKey> many =
                IntStream.range(0, 1_001).mapToObj(i -> LockKey.of("k", "" + i)).toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(options, many))
                .withMessageContaining("not 1001");
    }

    @Test
    void aTimeInAMessageIsWrittenAsInAProperty() {
        assertThat(Stream.of("0s", "-1s", "250ms", "30s", "90s", "5m", "24h")
                        .map(text -> LockOptions.text(parsed(text))))
                .containsExactly("0s", "-1s", "250ms", "30s", "90s", "5m", "24h");
        assertThat(LockOptions.text(Duration.ofNanos(1))).isEqualTo("PT0.000000001S");
        assertThat(LockOptions.text(Duration.ofMillis(-1))).isEqualTo("-1ms");
    }

    private static Duration parsed(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.replace("ms", "")))
                : Duration.parse("PT" + text);
    }
}
