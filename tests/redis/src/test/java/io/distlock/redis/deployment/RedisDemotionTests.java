package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.TestClient;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisReplication;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A master that is made a replica while its connections stay open, behind an address that leads to the next master. */
@ExtendWith(OutputCaptureExtension.class)
class RedisDemotionTests {

    /** Replicas are asked on another connection. */
    static Stream<RedisLockOptions> options() {
        RedisLockOptions plain = RedisLockOptions.defaults().withCallTimeout(Duration.ofSeconds(3));
        return Stream.of(plain, plain.withReplicasToAcknowledge(1));
    }

    @ParameterizedTest
    @MethodSource("options")
    void locksAreTakenAtTheNextMaster(RedisLockOptions options) {
        try (RedisReplication redis = RedisReplication.start();
                FaultProxy address =
                        FaultProxy.to(redis.master().host(), redis.master().port());
                TestClient client = client(redis, address, options)) {
            lock(client, TestClient.PATIENCE);
            swap(redis, address);
            await().atMost(TestClient.PATIENCE)
                    .ignoreExceptionsInstanceOf(LockException.class)
                    .untilAsserted(() -> lock(client, Duration.ZERO));
        }
    }

    private static void lock(TestClient client, Duration waitTime) {
        client.locks
                .acquire(client.locks
                        .request("orders")
                        .withLeaseTime(Duration.ofSeconds(2))
                        .withWaitTime(waitTime))
                .release();
    }

    /** Nobody but the watchdog asks for anything. */
    @Test
    void aLockThatIsHeldIsRenewedAtTheNextMaster(CapturedOutput output) {
        try (RedisReplication redis = RedisReplication.start();
                FaultProxy address =
                        FaultProxy.to(redis.master().host(), redis.master().port());
                TestClient client = client(redis, address, TestClient.PATIENT)) {
            HeldLock held = client.locks.acquire(client.locks.request("held").withLeaseTime(Duration.ofSeconds(15)));
            swap(redis, address);
            redis.replica().probe().command("PEXPIRE", "lock:{held}", "14000");
            await().atMost(TestClient.PATIENCE)
                    .until(() ->
                            redis.replica().probe().ttlMillis("lock:{held}").orElse(0) > 14_000);
            assertThat(held.isHeld()).isTrue();
            assertThat(output).contains("Redis 127.0.0.1:" + address.port() + " is a replica (READONLY)");
        }
    }

    @Test
    void waitersListenAtTheNextMaster() {
        try (RedisReplication redis = RedisReplication.start();
                FaultProxy address =
                        FaultProxy.to(redis.master().host(), redis.master().port());
                TestClient client = client(redis, address, TestClient.PATIENT)) {
            redis.master().probe().command("SET", "lock:{orders}", "theirs");
            redis.awaitSync();
            CompletableFuture<HeldLock> waiter =
                    client.locks.acquireAsync(client.locks.request("orders").withWaitTime(Duration.ofMinutes(5)));
            await().until(() -> redis.master().probe().pubsubChannels().contains("lock:{orders}:released"));
            swap(redis, address);
            redis.replica().probe().command("DEL", "lock:{orders}");
            // Whoever asks next finds out: this call, or the waiter when it looks again.
            Throwable found = catchThrowable(() -> client.locks.acquire(client.locks.request("unrelated")));
            if (found != null) {
                assertThat(found).isInstanceOf(LockException.class);
            }
            TestClient.get(waiter).close();
        }
    }

    private static TestClient client(RedisReplication redis, FaultProxy address, RedisLockOptions options) {
        return TestClient.of(redis.master().endpoint().withPort(address.port()), options);
    }

    private static void swap(RedisReplication redis, FaultProxy address) {
        RedisServer next = redis.replica();
        redis.awaitSync();
        next.probe().command("REPLICAOF", "NO", "ONE");
        redis.master().probe().command("REPLICAOF", next.host(), String.valueOf(next.port()));
        address.leadTo(next.host(), next.port());
    }
}
