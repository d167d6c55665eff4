package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
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
import org.junit.jupiter.api.Test;

class RedisRenewalTests extends OneClientFixture {

    private static final LockOptions OPTIONS =
            LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(100));

    @Test
    void extendsToLeaseAndDelayAndNeverShortens(RedisProbe probe) {
        Lease lease = acquire("a", LockMode.EXCLUSIVE, OPTIONS.withLockDelay(Duration.ofSeconds(20)));
        Lease longer = acquire("b", LockMode.EXCLUSIVE, OPTIONS.withMinHoldTime(Duration.ofMinutes(10)));
        probe.command("PEXPIRE", "lock:{a}", "60000");
        assertThat(renew(lease, longer).values()).containsOnly(Renewal.RENEWED);
        assertThat(probe.ttlMillis("lock:{a}").orElseThrow()).isBetween(60_001L, 120_000L);
        assertThat(probe.ttlMillis("lock:{b}").orElseThrow()).isBetween(120_001L, 600_000L);
    }

    @Test
    void neverShortensAReaderAndGivesEachLeaseItsOwnTime(RedisProbe probe) {
        Lease brief = acquire("a", LockMode.SHARED, OPTIONS.withLeaseTime(Duration.ofSeconds(50)));
        Lease longer = acquire("b", LockMode.SHARED, OPTIONS.withMinHoldTime(Duration.ofMinutes(10)));
        Lease writer = acquire("c", LockMode.EXCLUSIVE, OPTIONS.withLeaseTime(Duration.ofSeconds(200)));
        probe.command("PEXPIRE", "lock:{c}", "60000");
        assertThat(renew(brief, longer, writer).values()).containsOnly(Renewal.RENEWED);
        assertThat(probe.ttlMillis("lock:{a}:readers").orElseThrow()).isBetween(1L, 50_000L);
        assertThat(probe.ttlMillis("lock:{b}:readers").orElseThrow()).isBetween(120_001L, 600_000L);
        assertThat(probe.ttlMillis("lock:{c}").orElseThrow()).isBetween(120_001L, 200_000L);
    }

    /** Somebody has called PERSIST on it by hand. */
    @Test
    void aLockThatHasLostItsTimeToLiveGetsOne(RedisProbe probe) {
        Lease lease = acquire("a", LockMode.EXCLUSIVE, OPTIONS);
        probe.command("PERSIST", "lock:{a}");
        assertThat(renew(lease).values()).containsOnly(Renewal.RENEWED);
        assertThat(probe.ttlMillis("lock:{a}").orElseThrow()).isBetween(1L, 100_000L);
    }

    @Test
    void extendsReadersOneByOneAndTheirSet(RedisProbe probe) {
        Lease lease = acquire("a", LockMode.SHARED, OPTIONS);
        Lease gone = acquire("a", LockMode.SHARED, OPTIONS);
        probe.command("ZADD", "lock:{a}:readers", "1000", ((RedisLease) gone).value());
        probe.command("PEXPIRE", "lock:{a}:readers", "50000");
        assertThat(renew(lease, gone)).containsEntry(lease, Renewal.RENEWED).containsEntry(gone, Renewal.NOT_OWNER);
        assertThat(probe.ttlMillis("lock:{a}:readers").orElseThrow()).isBetween(50_001L, 100_000L);
    }

    @Test
    void aKeyThatHoldsSomethingElseHarmsNoOtherLease(RedisProbe probe) {
        Lease broken = acquire("a", LockMode.EXCLUSIVE, OPTIONS);
        Lease brokenShared = acquire("b", LockMode.SHARED, OPTIONS);
        Lease whole = acquire("c", LockMode.EXCLUSIVE, OPTIONS);
        probe.command("DEL", "lock:{a}", "lock:{b}:readers");
        probe.command("LPUSH", "lock:{a}", "x");
        probe.command("SET", "lock:{b}:readers", "x");
        assertThat(renew(broken, brokenShared, whole))
                .containsEntry(broken, Renewal.NOT_OWNER)
                .containsEntry(brokenShared, Renewal.NOT_OWNER)
                .containsEntry(whole, Renewal.RENEWED);
    }

    @Test
    void aLaterGrantToTheSameOwnerIsNotRenewedByAnEarlierLease(RedisProbe probe) {
        RedisLease lease = (RedisLease) acquire("a", LockMode.EXCLUSIVE, OPTIONS);
        probe.command("SET", "lock:{a}", lease.owner() + ":1" + lease.token());
        assertThat(renew(lease)).containsEntry(lease, Renewal.NOT_OWNER);
    }

    @Test
    void aLockThatIsOnlyKeptIsNotExtendedByARenewalThatComesLate(RedisProbe probe) {
        for (LockMode mode : LockMode.values()) {
            Lease lease = acquire("a", mode, OPTIONS);
            assertThat(TestClient.get(client.provider.release(lease, Duration.ofSeconds(2))))
                    .isEqualTo(Release.RELEASED);
            assertThat(renew(lease)).containsEntry(lease, Renewal.NOT_OWNER);
            assertThat(TestClient.get(client.provider.release(lease, Duration.ZERO)))
                    .isEqualTo(Release.NOT_OWNER);
            probe.flushAll();
        }
    }

    private static Lease acquire(String name, LockMode mode, LockOptions options) {
        var request = client.request(LockKey.of(name), mode, "owner-" + System.identityHashCode(new Object()), options);
        return TestClient.get(client.provider.acquire(request)).orElseThrow().lease();
    }

    private static Map<Lease, Renewal> renew(Lease... leases) {
        Map<Lease, Renewal> answers = new ConcurrentHashMap<>();
        client.provider.renew(List.of(leases), answers::put);
        await().atMost(TestClient.PATIENCE).until(() -> answers.size() == leases.length);
        return answers;
    }
}
