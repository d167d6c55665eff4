package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisReply;
import org.junit.jupiter.api.Test;

/** A client in another language that follows the recipe of Redis' own documentation. */
class CanonicalClientTests extends OneClientFixture {

    private static final String CANONICAL_RELEASE =
            "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

    @Test
    void isExcludedByOurLock(RedisProbe probe) {
        try (HeldLock held = client.locks.acquire(client.locks.request("orders"))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(canonicalLock(probe, "theirs")).isFalse();
            assertThat(canonicalRelease(probe, "theirs")).isZero();
        }
        assertThat(canonicalLock(probe, "theirs")).isTrue();
    }

    @Test
    void excludesUsInBothModes(RedisProbe probe) {
        assertThat(canonicalLock(probe, "theirs")).isTrue();
        for (LockMode mode : LockMode.values()) {
            assertThat(client.locks.tryAcquire(client.locks.request("orders").withMode(mode)))
                    .isEmpty();
        }
        assertThat(canonicalRelease(probe, "theirs")).isOne();
        client.locks.acquire(client.locks.request("orders")).close();
    }

    @Test
    void isShownWithoutAToken(RedisProbe probe) {
        canonicalLock(probe, "host:8080/thread:x");
        assertThat(client.locks.inspect(LockKey.of("orders")).orElseThrow().holders())
                .singleElement()
                .satisfies(holder -> {
                    assertThat(holder.owner()).isEqualTo("host:8080/thread:x");
                    assertThat(holder.token()).isEmpty();
                    assertThat(holder.remaining().orElseThrow()).isPositive();
                });
    }

    @Test
    void thatNeverExpiresIsBusyAndShownWithoutATime(RedisProbe probe) {
        probe.command("SET", "lock:{orders}", "for ever");
        assertThat(client.locks.tryAcquire(client.locks.request("orders"))).isEmpty();
        assertThat(client.locks
                        .inspect(LockKey.of("orders"))
                        .orElseThrow()
                        .holders()
                        .get(0)
                        .remaining())
                .isEmpty();
    }

    @Test
    void thatTakesOverALockWeLostKeepsIt(RedisProbe probe) {
        HeldLock held = client.locks.acquire(client.locks.request("orders").withRenew(false));
        probe.command("DEL", "lock:{orders}");
        canonicalLock(probe, "theirs");
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThat(probe.get("lock:{orders}")).contains("theirs");
    }

    private static boolean canonicalLock(RedisProbe probe, String value) {
        return probe.command("SET", "lock:{orders}", value, "NX", "PX", "60000") instanceof RedisReply.Text;
    }

    private static long canonicalRelease(RedisProbe probe, String value) {
        return probe.command("EVAL", CANONICAL_RELEASE, "1", "lock:{orders}", value)
                .number();
    }
}
