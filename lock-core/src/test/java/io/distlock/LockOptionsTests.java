package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LockOptionsTests {

    private final LockOptions options = LockOptions.defaults();

    @Test
    void aWaitIsNotNegativeNorEndless() {
        assertThat(options.withWaitTime(Duration.ZERO).waitTime()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withWaitTime(Duration.ofMillis(-1)))
                .withMessageContaining("wait time PT-0.001S is out of range");
        assertThatIllegalArgumentException().isThrownBy(() -> options.withWaitTime(Duration.ofDays(8)));
    }

    @Test
    void aLeaseIsNeitherZeroNorNegativeNorLongerThanADay() {
        for (Duration lease : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofHours(25))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withLeaseTime(lease))
                    .withMessageContaining("lease time " + lease + " is out of range");
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
                .withMessageContaining("maximum hold time PT10S is shorter than the lease time PT30S");
    }

    @Test
    void aLockDelayIsAtMostAMinute() {
        assertThatIllegalArgumentException().isThrownBy(() -> options.withLockDelay(Duration.ofSeconds(61)));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withLockDelay(Duration.ofSeconds(-1)));
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
}
