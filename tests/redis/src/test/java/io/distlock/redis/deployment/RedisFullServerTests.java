package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.redis.OneClientFixture;
import io.distlock.redis.TestClient;
import io.distlock.spi.Lease;
import io.distlock.spi.Renewal;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A Redis whose memory is full and that evicts nothing: what is held stays held, and can be given back. */
class RedisFullServerTests extends OneClientFixture {

    @AfterEach
    void makeRoom(RedisProbe probe) {
        probe.command("CONFIG", "SET", "maxmemory", "0");
    }

    @Test
    void everyLeaseIsRenewed(RedisProbe probe) {
        Lease shared = acquire("a", LockMode.SHARED);
        Lease exclusive = acquire("b", LockMode.EXCLUSIVE);
        fill(probe);
        probe.command("PEXPIRE", "lock:{a}:readers", "30000");
        probe.command("PEXPIRE", "lock:{b}", "30000");
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        client.provider.renew(List.of(shared, exclusive), answers::put);
        await().atMost(TestClient.PATIENCE).until(() -> answers.size() == 2);
        assertThat(answers.values()).containsOnly(Renewal.RENEWED);
        assertThat(probe.ttlMillis("lock:{a}:readers").orElseThrow()).isGreaterThan(30_000);
        assertThat(probe.ttlMillis("lock:{b}").orElseThrow()).isGreaterThan(30_000);
    }

    @ParameterizedTest
    @EnumSource
    void aLockIsGivenBackAlsoWhereItStaysTakenForAWhile(LockMode mode, RedisProbe probe) {
        Lease atOnce = acquire("a", mode);
        Lease later = acquire("b", mode);
        fill(probe);
        assertThat(TestClient.get(client.provider.release(atOnce, Duration.ZERO)))
                .isEqualTo(Release.RELEASED);
        assertThat(TestClient.get(client.provider.release(later, Duration.ofSeconds(50))))
                .isEqualTo(Release.RELEASED);
        assertThat(probe.keys()).noneMatch(key -> key.startsWith("lock:{a}"));
        String key = mode == LockMode.SHARED ? "lock:{b}:readers" : "lock:{b}";
        assertThat(probe.ttlMillis(key).orElseThrow()).isBetween(1L, 60_000L);
    }

    @Test
    void aLockThatIsFreeCannotBeTakenAndTheErrorSaysWhy(RedisProbe probe) {
        fill(probe);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(client.locks.request("c")))
                .havingCause()
                .withMessageContaining("maxmemory");
    }

    private static void fill(RedisProbe probe) {
        probe.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        probe.command("CONFIG", "SET", "maxmemory", "1");
    }

    private static Lease acquire(String name, LockMode mode) {
        LockOptions options = LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(60));
        var request = client.request(LockKey.of(name), mode, "owner-" + System.identityHashCode(new Object()), options);
        return TestClient.get(client.provider.acquire(request)).orElseThrow().lease();
    }
}
