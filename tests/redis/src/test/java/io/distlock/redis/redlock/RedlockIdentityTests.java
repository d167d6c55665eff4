package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.redis.TestClient;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An address that leads to another node's server from some time on, which would have two votes. */
class RedlockIdentityTests {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    private FaultProxy proxy;
    private RedlockTestClient client;

    @BeforeEach
    void connect() {
        RedisServer first = nodes.get(0);
        proxy = FaultProxy.to(first.host(), first.port());
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        endpoints.set(0, first.endpoint().withPort(proxy.port()));
        client = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
    }

    @AfterEach
    void disconnect() {
        client.close();
        proxy.close();
    }

    @Test
    void aServerThatTakesTheAddressOfAnotherNodeHasNoSecondVote() {
        leadAstray();
        nodes.get(2).kill();
        awaitClash();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.get(1).probe().get("lock:{orders}").isEmpty());
    }

    @Test
    void norDoesItRenewALockTwice() {
        HeldLock held = client.locks.acquire(request().withWaitTime(RedlockTestClient.PATIENCE));
        nodes.get(2).kill();
        leadAstray();
        TestClient.get(held.lost());
    }

    @Test
    void onceTheAddressLeadsBackLocksAreGrantedAgain() {
        leadAstray();
        awaitClash();
        proxy.leadTo(nodes.get(0).host(), nodes.get(0).port());
        proxy.cut();
        client.locks.acquire(request().withWaitTime(RedlockTestClient.PATIENCE)).close();
    }

    /** As soon as the driver has reconnected. Before that the others may grant, or may be too few. */
    private void awaitClash() {
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> client.locks.acquire(request()).close())
                        .havingCause()
                        .withMessageContaining("are the same server"));
    }

    private void leadAstray() {
        proxy.leadTo(nodes.get(1).host(), nodes.get(1).port());
        proxy.cut();
    }

    /** What is not taken back stands for longer than a test has patience. */
    private LockRequest request() {
        return client.locks
                .request("orders")
                .withLeaseTime(Duration.ofSeconds(15))
                .withLockDelay(Duration.ofMinutes(1));
    }

    @Test
    void onlyAServerThatForbidsTheQuestionIsTrustedWithoutAnAnswer() {
        assertThat(RedlockNode.isForbidden(new RedisCommandExecutionException("NOPERM this user has no permissions")))
                .isTrue();
        assertThat(RedlockNode.isForbidden(new RedisCommandExecutionException("ERR unknown command 'INFO'")))
                .isTrue();
        assertThat(RedlockNode.isForbidden(new RedisLoadingException("LOADING Redis is loading the dataset")))
                .isFalse();
        assertThat(RedlockNode.isForbidden(new RedisCommandExecutionException("BUSY Redis is busy running a script")))
                .isFalse();
    }
}
