package io.distlock.etcd.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.etcd.EtcdFence;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdFenceTests {

    private static final LockKey KEY = LockKey.of("orders", "42");

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    static TestClient client;
    static TestClient other;
    static Client application;
    static EtcdFence fence;

    @BeforeAll
    static void connect() {
        client = TestClient.of(etcd.server().endpoint());
        other = TestClient.of(etcd.server().endpoint());
        application = Client.builder().endpoints(etcd.server().endpoint().uri()).build();
        fence = new EtcdFence(client.provider);
    }

    @AfterAll
    static void disconnect() {
        application.close();
        other.close();
        client.close();
    }

    @Test
    void aHolderWrites() {
        try (HeldLock lock = client.locks.acquire(request(client, KEY))) {
            assertThat(write(fence.held(lock), "1")).isTrue();
            assertThat(write(fence.held(lock), "2")).isTrue();
        }
        assertThat(etcd.probe().get("data").orElseThrow().value()).isEqualTo("2");
    }

    @Test
    void aHolderWhoseLockWasTakenAwayWritesNothingThoughNobodyElseHasWritten() {
        HeldLock stale = client.locks.acquire(request(client, KEY));
        Cmp[] held = fence.held(stale);
        other.locks.forceRelease(KEY, stale.fencingToken());
        assertThat(write(held, "old")).isFalse();
        try (HeldLock newer = other.locks.acquire(request(other, KEY))) {
            assertThat(write(held, "old")).isFalse();
            assertThat(write(new EtcdFence(other.provider).held(newer), "new")).isTrue();
        }
        assertThat(etcd.probe().get("data").orElseThrow().value()).isEqualTo("new");
        TestClient.get(stale.lost());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> fence.held(stale));
    }

    @Test
    void aLockOnSeveralKeysIsHeldIfAllAre() {
        LockKey another = LockKey.of("another");
        HeldLock both = client.locks.acquire(request(client, KEY, another));
        Cmp[] held = fence.held(both);
        assertThat(held).hasSize(2);
        assertThat(write(held, "1")).isTrue();
        other.locks.forceRelease(another, both.sequencers().get(0).token());
        assertThat(write(held, "2")).isFalse();
        both.release();
    }

    @Test
    void eachReaderHasItsOwnEntry() {
        var shared = request(client, KEY).withMode(LockMode.SHARED);
        HeldLock one = client.locks.acquire(shared);
        try (HeldLock two = other.locks.acquire(shared)) {
            Cmp[] held = fence.held(one);
            assertThat(write(held, "1")).isTrue();
            one.release();
            assertThat(write(held, "2")).isFalse();
            assertThat(write(new EtcdFence(other.provider).held(two), "3")).isTrue();
        }
    }

    @Test
    void aReaderIsFoundAmongTheOthersOfItsProcess() {
        LockRequest shared = request(client, KEY).withMode(LockMode.SHARED);
        try (HeldLock one = client.locks.acquire(shared);
                HeldLock two = client.locks.acquire(shared);
                HeldLock another = client.locks.acquire(request(client, LockKey.of("another")))) {
            for (HeldLock each : List.of(one, two, another)) {
                assertThat(write(fence.held(each), each.fencingToken().toString()))
                        .isTrue();
            }
            two.release();
            assertThatIllegalStateException().isThrownBy(() -> fence.held(two));
            assertThat(write(fence.held(one), "1")).isTrue();
        }
    }

    /** Its entry remains, with the same create revision. */
    @Test
    void aLockThatWasReleasedBeforeItsMinimumHoldTimeIsNotHeld() {
        HeldLock lock = client.locks.acquire(request(client, KEY).withMinHoldTime(Duration.ofMinutes(1)));
        Cmp[] held = fence.held(lock);
        lock.release();
        assertThat(etcd.probe().keys("lock/orders:42/")).hasSize(1);
        assertThat(write(held, "1")).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> fence.held(lock));
    }

    @Test
    void aLockOfAnotherProviderIsRefused() {
        try (HeldLock lock = other.locks.acquire(request(other, KEY))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fence.held(lock))
                    .withMessage("lock 'orders:42' (token " + lock.fencingToken()
                            + ") is not held through this etcd provider: an etcd transaction can only depend on locks in"
                            + " the same etcd");
        }
    }

    /** Waits out the second after a lease is lost, as it is between tests. */
    private static LockRequest request(TestClient client, LockKey... keys) {
        return client.locks.request(List.of(keys)).withWaitTime(TestClient.PATIENCE);
    }

    private static boolean write(Cmp[] held, String value) {
        return TestClient.get(application
                        .getKVClient()
                        .txn()
                        .If(held)
                        .Then(Op.put(bytes("data"), bytes(value), PutOption.DEFAULT))
                        .commit())
                .isSucceeded();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
