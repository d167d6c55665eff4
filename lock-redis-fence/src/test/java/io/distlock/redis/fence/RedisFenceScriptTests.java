package io.distlock.redis.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisProbe;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisConnectionUtils;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/** The scripts that a fence runs, and where it runs them. */
class RedisFenceScriptTests extends RedisFenceFixture {

    @Test
    void aScriptHasItsOwnKeysAndArguments() {
        RedisScript<String> script = RedisScript.of(
                "redis.call('SET', KEYS[2], ARGV[1])\nreturn #KEYS .. ' ' .. #ARGV .. ' ' .. KEYS[1] -- done",
                String.class);
        try (HeldLock lock = acquire()) {
            assertThat(fence.execute(lock, script, List.of("x", "y"), "BODY", "2"))
                    .isEqualTo("2 2 x");
            RedisScript<String> globals =
                    RedisScript.of("return loadstring('return KEYS[1] .. ARGV[1]')()", String.class);
            assertThat(fence.execute(lock, globals, List.of("x"), "1")).isEqualTo("x1");
        }
    }

    @Test
    void aScriptUnderSeveralLocksHasNoMoreKeysAndArguments() {
        RedisScript<String> script =
                RedisScript.of("return #KEYS .. ' ' .. #ARGV .. ' ' .. KEYS[1] .. ' ' .. ARGV[2]", String.class);
        List<LockKey> keys = List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));
        try (HeldLock lock = client.locks.acquire(client.locks.request(keys))) {
            assertThat(fence.execute(lock, script, List.of("x"), "1", "2")).isEqualTo("1 2 x 2");
        }
    }

    @Test
    void aScriptsOwnErrorIsPassedOn() {
        try (HeldLock lock = acquire()) {
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

    /** Otherwise each write would open a file, and change what it does once that file is replaced. */
    @Test
    void theScriptOfACommandIsReadOnce() {
        assertThat(RedisFence.COMMAND.getScriptAsString()).isSameAs(RedisFence.COMMAND.getScriptAsString());
    }

    /** A template with transactions binds a connection in MULTI to the thread. */
    @Test
    void insideMultiItIsRefused(RedisProbe probe) {
        StringRedisTemplate template = new StringRedisTemplate(data);
        try (HeldLock lock = acquire()) {
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
    void insideAPipelineItIsRefused(RedisProbe probe) {
        try (HeldLock lock = acquire()) {
            RedisConnectionUtils.bindConnection(data).openPipeline();
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.set(lock, "value", "1"))
                    .withMessageContaining("inside MULTI or a pipeline");
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
            try (HeldLock lock = acquire()) {
                clustered.set(lock, "{orders:42}:value", "1");
                clustered.set(lock, "plain", "2");
                clustered.set(lock, "{a}b", "3");
                clustered.set(lock, "}a{b}", "3");
                clustered.advance(lock);
                assertThat(cluster.nodeOf("{orders:42}:value").probe().get(FENCE))
                        .contains(lock.fencingToken() + " redis:lock");
                assertThat(cluster.nodeOf("plain").probe().get("fence:{plain}:orders:42{lock}"))
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
}
