package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.redis.OneClientFixture;
import io.distlock.test.redis.RedisProbe;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisTokensTests extends OneClientFixture {

    @Test
    void growWithEachGrantInEitherMode() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            tokens.add(token(i % 2 == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED));
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void growAfterTheDataIsLost(RedisProbe probe) {
        long before = token(LockMode.EXCLUSIVE);
        probe.flushAll();
        assertThat(token(LockMode.EXCLUSIVE)).isGreaterThan(before);
        probe.flushAll();
        assertThat(token(LockMode.SHARED)).isGreaterThan(before);
    }

    /** So it is after the server's clock has stepped back. */
    @Test
    void growFromACounterThatIsAheadOfTheClock(RedisProbe probe) {
        String counter = new RedisKeys("lock", 0).of(LockKey.of("orders")).fence();
        probe.command("SET", counter, "8000000000000000");
        assertThat(token(LockMode.EXCLUSIVE)).isEqualTo(8_000_000_000_000_001L);
        assertThat(token(LockMode.SHARED)).isEqualTo(8_000_000_000_000_002L);
        assertThat(probe.get(counter)).contains("8000000000000002");
    }

    @Test
    void startFromTheServersClockInMicroseconds(RedisProbe probe) {
        List<String> time = probe.command("TIME").texts();
        assertThat(token(LockMode.EXCLUSIVE))
                .isBetween(Long.parseLong(time.get(0)) * 1_000_000, (Long.parseLong(time.get(0)) + 60) * 1_000_000);
    }

    private static long token(LockMode mode) {
        try (HeldLock held = client.locks.acquire(client.locks.request("orders").withMode(mode))) {
            return held.fencingToken().value();
        }
    }
}
