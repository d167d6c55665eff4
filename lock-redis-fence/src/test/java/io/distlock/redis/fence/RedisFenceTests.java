package io.distlock.redis.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisConnectionUtils;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

class RedisFenceTests {

    private static final Duration RETENTION = Duration.ofHours(2);
    private static final RedisFence.Options OPTIONS = new RedisFence.Options("redis", "lock", "fence", RETENTION);
    private static final String FENCE = "fence:{orders:42}:orders:42";

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static LocksOnRedis client;
    static LocksOnRedis other;
    static LettuceConnectionFactory data;
    static RedisFence fence;

    @BeforeAll
    static void connect() {
        data = new LettuceConnectionFactory(
                redis.server().host(), redis.server().port());
        client = new LocksOnRedis(data);
        other = new LocksOnRedis(data);
        data.afterPropertiesSet();
        data.start();
        fence = new RedisFence(data, OPTIONS);
    }

    @AfterAll
    static void disconnect() {
        data.destroy();
        other.close();
        client.close();
    }

    @Test
    void aStaleHolderWritesNothing(RedisProbe probe) {
        HeldLock stale = client.locks.acquire(client.locks.request("orders", "42"));
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
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
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
        assertThat(probe.ttlMillis(FENCE).orElseThrow()).isBetween(1L, RETENTION.toMillis());
    }

    @Test
    void aWriteIsOneCommand(RedisProbe probe) {
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
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
            String before = probe.get("fence:{a}:a").orElseThrow();
            assertThatExceptionOfType(StaleFencingTokenException.class)
                    .isThrownBy(() -> fence.set(both, "value", "2"))
                    .withMessageContaining("lock 'b'");
            assertThat(probe.get("value")).contains("1");
            assertThat(probe.get("fence:{a}:a")).contains(before);
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
    void aScriptHasItsOwnKeysAndArguments() {
        RedisScript<String> script = RedisScript.of(
                "redis.call('SET', KEYS[2], ARGV[1])\nreturn #KEYS .. ' ' .. #ARGV .. ' ' .. KEYS[1] -- done",
                String.class);
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
            assertThat(fence.execute(lock, script, List.of("x", "y"), "BODY", "2"))
                    .isEqualTo("2 2 x");
            RedisScript<String> globals =
                    RedisScript.of("return loadstring('return KEYS[1] .. ARGV[1]')()", String.class);
            assertThat(fence.execute(lock, globals, List.of("x"), "1")).isEqualTo("x1");
        }
    }

    @Test
    void aScriptsOwnErrorIsPassedOn() {
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> fence.execute(
                            lock, RedisScript.of("return redis.call('LPUSH', 'x')", Long.class), List.of()));
            for (String text : List.of("LOCKFENCE:STALE:1:5", "LOCKFENCE-1:STALE:1:5")) {
                assertThatExceptionOfType(DataAccessException.class)
                        .isThrownBy(() -> fence.execute(
                                lock,
                                RedisScript.of("return redis.error_reply('no ' .. ARGV[1])", Long.class),
                                List.of(),
                                text));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> fence.execute(lock, RedisScript.of("#!lua name=x\nreturn 1", Long.class), List.of()))
                    .withMessageContaining("remove that line");
        }
    }

    @Test
    void aLockThatWasReleasedWritesNothing(RedisProbe probe) {
        HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"));
        lock.close();
        assertThatIllegalStateException().isThrownBy(() -> fence.set(lock, "value", "1"));
        assertThat(probe.keys()).doesNotContain("value", FENCE);
    }

    @Test
    void tokensOfAnotherStoreAreNotCompared(RedisProbe probe) {
        fence.advance(grant(1));
        for (RedisFence.Options changed : List.of(
                new RedisFence.Options("etcd", "lock", "fence", RETENTION),
                new RedisFence.Options("redis", "other", "fence", RETENTION))) {
            RedisFence differing = new RedisFence(data, changed);
            assertThatIllegalStateException()
                    .isThrownBy(() -> differing.advance(grant(2)))
                    .withMessageContaining("the fence of lock 'orders:42' has the token and source '1 redis:lock'")
                    .withMessageEndingWith("delete the key " + FENCE);
        }
        probe.command("SET", FENCE, "nonsense");
        assertThatIllegalStateException().isThrownBy(() -> fence.advance(grant(3)));
        assertThat(probe.get(FENCE)).contains("nonsense");
    }

    /** The fence of a holder that was paused for longer than the retention has expired meanwhile. */
    @Test
    void aWriteThatWasOnItsWayForLongIsRefusedWithoutAFence(RedisProbe probe) {
        AtomicLong ahead = new AtomicLong();
        RedisFence late = fenceWithClock(ahead);
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
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
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
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

    /** A template with transactions binds a connection in MULTI to the thread. */
    @Test
    void insideMultiItIsRefused(RedisProbe probe) {
        StringRedisTemplate template = new StringRedisTemplate(data);
        try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
            RedisConnectionUtils.bindConnection(data);
            template.multi();
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.set(lock, "value", "1"))
                    .withMessageContaining("inside MULTI or a pipeline");
            template.discard();
        } finally {
            RedisConnectionUtils.unbindConnection(data);
        }
        assertThat(probe.keys()).doesNotContain("value");
    }

    @Test
    void inAClusterTheFenceIsBesideTheData() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisClusterConfiguration configuration = new RedisClusterConfiguration();
            cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
            LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
            factory.afterPropertiesSet();
            factory.start();
            RedisFence clustered = new RedisFence(factory, OPTIONS);
            try (HeldLock lock = client.locks.acquire(client.locks.request("orders", "42"))) {
                clustered.set(lock, "{orders:42}:value", "1");
                clustered.set(lock, "plain", "2");
                clustered.set(lock, "{a}b", "3");
                clustered.advance(lock);
                assertThat(cluster.nodeOf("{orders:42}:value").probe().get(FENCE))
                        .contains(lock.fencingToken() + " redis:lock");
                assertThat(cluster.nodeOf("plain").probe().get("fence:{plain}:orders:42"))
                        .isPresent();
                for (List<String> keys : List.of(List.of("a", "b"), List.of("{}x"))) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> clustered.execute(lock, RedisScript.of("return 1", Long.class), keys))
                            .withMessageContaining("give the keys the same hash tag, such as {orders:42}");
                }
                clustered.advance(grant(lock.fencingToken().value() + 1));
                assertThatExceptionOfType(StaleFencingTokenException.class)
                        .isThrownBy(() -> clustered.set(lock, "{orders:42}:value", "4"));
            } finally {
                factory.destroy();
            }
        }
    }

    /** Otherwise each write would open a file, and change what it does once that file is replaced. */
    @Test
    void theScriptOfACommandIsReadOnce() {
        assertThat(RedisFence.COMMAND.getScriptAsString()).isSameAs(RedisFence.COMMAND.getScriptAsString());
    }

    @Test
    void optionsThatCannotWorkAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisFence.Options("redis", "lock", "a{b}", RETENTION));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisFence.Options("redis", "lock", "fence", Duration.ofSeconds(1)));
    }

    private static Sequencer grant(long token) {
        return new Sequencer(LockKey.of("orders", "42"), LockMode.EXCLUSIVE, new FencingToken(token));
    }
}
