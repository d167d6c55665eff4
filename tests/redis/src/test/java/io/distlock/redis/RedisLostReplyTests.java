package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that Redis carried out, or did not, without the client being told. */
class RedisLostReplyTests {

    /** Longer than a busy machine takes to answer: only what a test loses on purpose is late. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private FaultProxy proxy;
    private TestClient client;

    @BeforeEach
    void connect() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        client = TestClient.of(
                redis.server().endpoint().withPort(proxy.port()),
                RedisLockOptions.defaults().withCallTimeout(CALL_TIMEOUT));
        for (LockMode mode : LockMode.values()) {
            client.locks
                    .acquire(client.locks.request("warm").withMode(mode).withWaitTime(TestClient.PATIENCE))
                    .close();
        }
    }

    @AfterEach
    void disconnect() {
        client.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void aGrantWhoseReplyWasCutOffIsTakenBack(LockMode mode, RedisProbe probe) {
        // Nothing can be taken back before it has been seen.
        proxy.refuse();
        proxy.cutBeforeNextReply();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() ->
                        client.locks.acquire(client.locks.request("orders").withMode(mode)));
        assertThat(probe.keys()).as("the grant").anyMatch(key -> key.startsWith("lock:{orders}"));
        proxy.accept();
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(probe.keys()).noneMatch(key -> key.startsWith("lock:{orders}")));
        await().atMost(TestClient.PATIENCE).until(() -> client.runtime.reaper().pending() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aGrantWhoseReplyWasCutOffIsFoundAgainWhileWaiting(LockMode mode, RedisProbe probe) {
        proxy.cutBeforeNextReply();
        HeldLock held = client.locks.acquire(
                client.locks.request("orders").withMode(mode).withWaitTime(TestClient.PATIENCE));
        assertThat(held.isHeld()).isTrue();
        held.close();
        assertThat(probe.keys()).noneMatch(key -> key.startsWith("lock:{orders}"));
    }

    @Test
    void aGrantWhoseReplyNeverComesIsTakenBack(RedisProbe probe) {
        proxy.dropReplies();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")))
                .satisfies(failure -> assertThat(failure.elapsed()).isBetween(CALL_TIMEOUT, TestClient.PATIENCE));
        proxy.pass();
        await().atMost(TestClient.PATIENCE)
                .until(() -> probe.get("lock:{orders}").isEmpty());
    }

    @Test
    void aRequestThatNeverArrivedLeavesNothing(RedisProbe probe) {
        proxy.cutBeforeNextRequest();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")));
        await().atMost(TestClient.PATIENCE).until(() -> client.runtime.reaper().pending() == 0);
        assertThat(probe.get("lock:{orders}")).isEmpty();
    }

    @Test
    void aReleaseWhoseReplyWasCutOffIsNoLoss(RedisProbe probe) {
        HeldLock held = client.locks.acquire(client.locks.request("orders"));
        proxy.cutBeforeNextReply();
        held.close();
        assertThat(probe.get("lock:{orders}")).isEmpty();
    }

    @Test
    void anErrorOfTheServerSaysWhatIsWrongAndLeavesNothingToTakeBack(RedisProbe probe) {
        probe.command("LPUSH", "lock:{orders}", "no lock");
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")))
                .havingCause()
                .withMessageStartingWith("acquire-exclusive failed: ")
                .withMessageContaining("WRONGTYPE");
        assertThat(client.runtime.reaper().pending()).isZero();
    }

    @Test
    void whatWasNeverSentNeedNotBeTakenBack() {
        proxy.refuse();
        proxy.cut();
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> client.locks.acquire(client.locks.request("orders")))
                        .havingCause()
                        .withMessageContaining("not connected"));
        await().atMost(TestClient.PATIENCE).until(() -> client.runtime.reaper().pending() == 0);
    }
}
