package io.distlock.redis.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose writes a fence lets through. */
class RedisFenceTests extends RedisFenceFixture {

    @Test
    void aStaleHolderWritesNothing(RedisProbe probe) {
        HeldLock stale = acquire();
        // Another client does not tell the holder.
        other.locks.forceRelease(LockKey.of("orders", "42"), stale.fencingToken());
        HeldLock newer = other.locks.acquire(other.locks.request("orders", "42"));
        assertThat(stale.isHeld()).isTrue();
        fence.set(stale, "before", "accepted: nobody with a later lock has been here");
        fence.set(newer, "value", "new");
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> fence.set(stale, "value", "old"))
                .withMessage("lock 'orders:42' (token " + stale.fencingToken() + ") is stale: Redis has seen token "
                        + newer.fencingToken());
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> fence.push(stale, "another", "old"));
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> fence.advance(stale));
        assertThat(probe.get("value")).contains("new");
        assertThat(probe.get("another")).isEmpty();
        fence.set(newer, "value", "newer");
        newer.release();
        stale.release();
    }

    @Test
    void aHolderWrites(RedisProbe probe) {
        try (HeldLock lock = acquire()) {
            fence.set(lock, "value", "1");
            fence.put(lock, "hash", "field", "2");
            fence.push(lock, "list", "3");
            fence.push(lock, "list", "4");
            fence.set(lock, "gone", "5");
            fence.delete(lock, "gone");
            assertThat(probe.get(FENCE)).contains(lock.fencingToken() + " redis:lock");
        }
        assertThat(probe.get("value")).contains("1");
        assertThat(probe.command("HGET", "hash", "field").text()).isEqualTo("2");
        assertThat(probe.command("LINDEX", "list", "1").text()).isEqualTo("4");
        assertThat(probe.get("gone")).isEmpty();
        assertThat(probe.ttlMillis(FENCE).orElseThrow()).isBetween(RETENTION.toMillis() * 9 / 10, RETENTION.toMillis());
    }

    private static Sequencer sequencer(LockMode mode, long token) {
        return new Sequencer(LockKey.of("orders", "42"), mode, new FencingToken(token));
    }

    @Test
    void tokensAreComparedAsNumbersThoughTheyAreText(RedisProbe probe) {
        for (long token : new long[] {9, 10, 99, 100, 1_795_938_198_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            Sequencer later = sequencer(LockMode.EXCLUSIVE, token);
            fence.advance(later);
            assertThat(probe.get(FENCE)).contains(later.token() + " redis:lock");
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.advance(sequencer(LockMode.EXCLUSIVE, token - 1)));
        }
    }

    @Test
    void aReaderIsComparedLikeAWriterAndLeavesNothing(RedisProbe probe) {
        fence.advance(sequencer(LockMode.EXCLUSIVE, 20));
        for (long stale : new long[] {9, 19}) {
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.advance(sequencer(LockMode.SHARED, stale)));
        }
        for (long later : new long[] {20, 21, 100}) {
            fence.advance(sequencer(LockMode.SHARED, later));
        }
        assertThat(probe.get(FENCE)).contains("20 redis:lock");
    }

    @Test
    void eachWriteKeepsTheFencesOfAllKeysForTheWholeRetention(RedisProbe probe) {
        List<LockKey> keys = List.of(LockKey.of("a"), LockKey.of("b"));
        List<String> fences = List.of("fence:{a}:a{lock}", "fence:{b}:b{lock}");
        try (HeldLock lock = client.locks.acquire(client.locks.request(keys))) {
            List<Runnable> uses = List.of(
                    () -> fence.set(lock, "value", "1"),
                    () -> fence.advance(lock),
                    () -> lock.sequencers().forEach(fence::advance));
            for (Runnable use : uses) {
                use.run();
                for (String each : fences) {
                    assertThat(probe.ttlMillis(each).orElseThrow())
                            .isBetween(RETENTION.toMillis() * 9 / 10, RETENTION.toMillis());
                    probe.command("PEXPIRE", each, "600000");
                }
            }
        }
    }

    /** Of readers, too: they write no fence, but must not read what a later writer's expired one would have refused. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void aWriteWithoutAFenceIsAcceptedForHalfTheRetention(LockMode mode, RedisProbe probe) {
        AtomicLong ahead = new AtomicLong();
        RedisFence late = fenceWithClock(ahead);
        try (HeldLock lock =
                client.locks.acquire(client.locks.request("orders", "42").withMode(mode))) {
            for (int sign : new int[] {-1, 1}) {
                ahead.set(sign * RETENTION.toMillis() * 6 / 10);
                assertThatIllegalStateException().isThrownBy(() -> late.set(lock, "value", "1"));
                assertThat(probe.keys()).doesNotContain("value", FENCE);
                ahead.set(sign * RETENTION.toMillis() * 4 / 10);
                late.set(lock, "value", "1");
                probe.command("DEL", FENCE);
                probe.command("DEL", "value");
            }
        }
    }

    @Test
    void aLockThatIsKnownToBeLostOrReleasedAdvancesNothing(RedisProbe probe) {
        HeldLock released = acquire();
        released.release();
        assertThatIllegalStateException().isThrownBy(() -> fence.advance(released));
        HeldLock lost = acquire();
        client.locks.forceRelease(LockKey.of("orders", "42"), lost.fencingToken());
        await().until(() -> !lost.isHeld());
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> fence.advance(lost))
                .isNotInstanceOf(StaleFencingTokenException.class);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> fence.set(lost, "value", "1"));
        assertThat(probe.keys()).doesNotContain("value", FENCE);
    }

    @Test
    void aWriteIsOneCommand(RedisProbe probe) {
        try (HeldLock lock = acquire()) {
            fence.set(lock, "value", "1");
            try (CommandRecorder recorder = probe.record()) {
                fence.set(lock, "value", "2");
                assertThat(recorder.names()).containsExactly("EVALSHA");
            }
        }
    }

    @Test
    void aStaleReaderIsComparedAndLeavesNothing(RedisProbe probe) {
        try (HeldLock shared =
                client.locks.acquire(client.locks.request("orders", "42").withMode(LockMode.SHARED))) {
            fence.set(shared, "value", "1");
            assertThat(probe.get(FENCE)).isEmpty();
            fence.advance(grant(shared.fencingToken().value() + 1));
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.set(shared, "value", "2"));
            assertThat(probe.get("value")).contains("1");
        }
    }

    @Test
    void allKeysOfALockAreComparedBeforeOneIsWritten(RedisProbe probe) {
        LockKey one = LockKey.of("a");
        LockKey two = LockKey.of("b");
        try (HeldLock both = client.locks.acquire(client.locks.request(List.of(one, two)))) {
            fence.set(both, "value", "1");
            fence.advance(new Sequencer(two, LockMode.EXCLUSIVE, new FencingToken(Long.MAX_VALUE)));
            String before = probe.get("fence:{a}:a{lock}").orElseThrow();
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.set(both, "value", "2"))
                    .withMessageContaining("lock 'b'");
            assertThat(probe.get("value")).contains("1");
            assertThat(probe.get("fence:{a}:a{lock}")).contains(before);
        }
    }

    @Test
    void tokensAreComparedAsWholeNumbers() {
        fence.advance(grant(Long.MAX_VALUE - 1));
        fence.advance(grant(Long.MAX_VALUE));
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> fence.advance(grant(Long.MAX_VALUE - 1)));
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> fence.advance(grant(9)));
    }

    @Test
    void aLockThatWasReleasedWritesNothing(RedisProbe probe) {
        HeldLock lock = acquire();
        lock.close();
        assertThatIllegalStateException().isThrownBy(() -> fence.set(lock, "value", "1"));
        assertThat(probe.keys()).doesNotContain("value", FENCE);
    }

    @Test
    void tokensOfAnotherStoreAreNotCompared(RedisProbe probe) {
        fence.advance(grant(1));
        RedisFence differing = new RedisFence(data, new RedisFence.Options("etcd", "lock", "fence", RETENTION));
        assertThatIllegalStateException()
                .isThrownBy(() -> differing.advance(grant(2)))
                .withMessageContaining("the fence of lock 'orders:42' has the token and source '1 redis:lock'")
                .withMessageEndingWith("delete the key " + FENCE);
        probe.command("SET", FENCE, "nonsense");
        assertThatIllegalStateException().isThrownBy(() -> fence.advance(grant(3)));
        assertThat(probe.get(FENCE)).contains("nonsense");
    }

    /** Of several locks, the one that cannot be compared or has no fence is named, wherever it stands. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theLockThatIsRefusedIsNamed(int refused, RedisProbe probe) {
        AtomicLong ahead = new AtomicLong();
        RedisFence late = fenceWithClock(ahead);
        List<LockKey> keys = List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));
        LockKey key = keys.get(refused);
        String itsFence = "fence:{" + key + "}:" + key + "{lock}";
        try (HeldLock lock = client.locks.acquire(client.locks.request(keys))) {
            late.set(lock, "value", "1");
            probe.command("DEL", itsFence);
            ahead.set(-RETENTION.toMillis());
            assertThatIllegalStateException()
                    .isThrownBy(() -> late.set(lock, "value", "2"))
                    .withMessageContaining("under lock '" + key + "'");
            probe.command("SET", itsFence, "1 etcd:lock");
            assertThatIllegalStateException()
                    .isThrownBy(() -> late.set(lock, "value", "3"))
                    .withMessageContaining("the fence of lock '" + key + "'")
                    .withMessageEndingWith("delete the key " + itsFence);
            probe.command("SET", itsFence, Long.MAX_VALUE + " redis:lock");
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> late.set(lock, "value", "4"))
                    .withMessageContaining("lock '" + key + "'");
        }
        assertThat(probe.get("value")).contains("1");
    }

    /** Their locks are not the same, though they have one name. */
    @Test
    void twoApplicationsWithDifferentKeyPrefixesShareTheRedis() {
        RedisFence other = new RedisFence(data, new RedisFence.Options("redis", "other", "fence", RETENTION));
        fence.advance(grant(5));
        other.advance(grant(3));
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> other.advance(grant(2)));
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> fence.advance(grant(4)));
    }

    /** It is compared as a whole, whatever is in it. */
    @ParameterizedTest
    @ValueSource(strings = {"our locks", "our\nlocks", "it's {ours}: 1"})
    void aKeyPrefixMayHaveSpacesAndLineFeeds(String prefix) {
        RedisFence ours = new RedisFence(data, new RedisFence.Options("redis", prefix, "fence", RETENTION));
        ours.advance(grant(5));
        ours.advance(grant(6));
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> ours.advance(grant(5)));
    }

    /** The fence of a holder that was paused for longer than the retention has expired meanwhile. */
    @Test
    void aWriteThatWasOnItsWayForLongIsRefusedWithoutAFence(RedisProbe probe) {
        AtomicLong ahead = new AtomicLong();
        RedisFence late = fenceWithClock(ahead);
        try (HeldLock lock = acquire()) {
            ahead.set(-RETENTION.toMillis());
            assertThatIllegalStateException()
                    .isThrownBy(() -> late.set(lock, "value", "1"))
                    .withMessageContaining("so the token of a later holder may have expired");
            assertThat(probe.keys()).doesNotContain("value", FENCE);
            ahead.set(-RETENTION.toMillis() / 3);
            late.set(lock, "value", "1");
            ahead.set(-RETENTION.toMillis());
            late.set(lock, "value", "2");
        }
        assertThat(probe.get("value")).contains("2");
    }

    @Test
    void aHolderThatWasPausedRightAfterTheCheckIsRefusedWithoutAFence(RedisProbe probe) {
        AtomicLong ahead = new AtomicLong();
        RedisFence late = fenceWithClock(ahead);
        try (HeldLock lock = acquire()) {
            HeldLock pausing = (HeldLock) Proxy.newProxyInstance(
                    HeldLock.class.getClassLoader(), new Class<?>[] {HeldLock.class}, (proxy, method, arguments) -> {
                        Object result = method.invoke(lock, arguments);
                        if (method.getName().equals("ensureHeld")) {
                            ahead.set(0);
                        }
                        return result;
                    });
            ahead.set(-RETENTION.toMillis());
            assertThatIllegalStateException()
                    .isThrownBy(() -> late.set(pausing, "value", "1"))
                    .withMessageContaining("so the token of a later holder may have expired");
            ahead.set(-RETENTION.toMillis());
            assertThatIllegalStateException().isThrownBy(() -> late.advance(pausing));
        }
        assertThat(probe.keys()).doesNotContain("value", FENCE);
    }

    private static RedisFence fenceWithClock(AtomicLong ahead) {
        return new RedisFence(data, OPTIONS, new Ticker() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long wallMillis() {
                return System.currentTimeMillis() + ahead.get();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}", "a{b", "a}b", " ", ""})
    void aPrefixThatIsBlankOrHasABraceIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisFence.Options("redis", "lock", prefix, RETENTION))
                .withMessageContaining("must not be blank or contain braces");
    }

    @Test
    void aRetentionOfLessThanAMinuteIsRefused() {
        Duration minute = Duration.ofMinutes(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisFence.Options("redis", "lock", "fence", minute.minusMillis(1)))
                .withMessageContaining("use at least");
        assertThat(new RedisFence.Options("redis", "lock", "fence", minute).retention())
                .isEqualTo(minute);
    }
}
