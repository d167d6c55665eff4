package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.redis.script.RedisKeys;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisLockOptionsTests {

    private final RedisLockOptions defaults = RedisLockOptions.defaults();

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "a b", "a{b", "a}", "a\tb", "a\u0001"})
    void aPrefixThatWouldBreakKeysIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withKeyPrefix(prefix))
                .withMessageContaining("key prefix \"" + prefix + "\"");
    }

    /** A lock named "a1" under it would be the counter of a slot under the other. */
    @Test
    void aPrefixInWhichAnotherKeepsItsCountersIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withKeyPrefix("shop:lock:fence"))
                .withMessage("key prefix \"shop:lock:fence\" ends with \":fence\", where locks with the prefix"
                        + " \"shop:lock\" keep their fencing counters: choose another ending");
        assertThat(new RedisKeys("lock", 0).fence()).isEqualTo("lock:fence");
    }

    @Test
    void aPrefixMayHaveColons() {
        assertThat(defaults.withKeyPrefix("shop:locks").keyPrefix()).isEqualTo("shop:locks");
    }

    @Test
    void aTimeoutOutOfRangeIsRefusedWithValueAndRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withCallTimeout(Duration.ofMillis(1)))
                .withMessage("call timeout 1ms is out of range: choose a value from 10ms to 1m");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withConnectTimeout(Duration.ofMinutes(2)))
                .withMessageContaining("connect timeout 2m");
    }

    @Test
    void aNegativeNumberOfReplicasIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withReplicasToAcknowledge(-1))
                .withMessageContaining("-1 is negative");
    }
}
