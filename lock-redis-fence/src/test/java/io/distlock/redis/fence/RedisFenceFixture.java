package io.distlock.redis.fence;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A fence on a Redis, and two applications that take their locks from it. */
abstract class RedisFenceFixture {

    static final Duration RETENTION = Duration.ofHours(2);
    static final RedisFence.Options OPTIONS = new RedisFence.Options("redis", "lock", "fence", RETENTION);
    static final String FENCE = "fence:{orders:42}:orders:42{lock}";

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

    static HeldLock acquire() {
        return client.locks.acquire(client.locks.request("orders", "42"));
    }

    static Sequencer grant(long token) {
        return new Sequencer(LockKey.of("orders", "42"), LockMode.EXCLUSIVE, new FencingToken(token));
    }
}
