package io.distlock.samples.flashsale;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.BodyContentSpec;

/** What the page on operating locks promises, read from a running application. */
@OperatedShop
class OperatingTests {

    @Autowired
    RestTestClient http;

    @Autowired
    LockClient client;

    @Autowired
    StringRedisTemplate redis;

    private HeldLock held;

    @BeforeEach
    void hold() {
        held = client.acquire(client.request("orders", "42"));
    }

    @AfterEach
    void release() {
        held.release();
    }

    private BodyContentSpec get(String path) {
        return http.get().uri(path).exchange().expectStatus().isOk().expectBody();
    }

    @Test
    void theEndpointShowsWhatIsHeld() {
        String item = "$.held.items[0].";
        get("/actuator/locks?name=orders")
                .jsonPath("$.held.total")
                .isEqualTo(1)
                .jsonPath(item + "name")
                .isEqualTo("orders")
                .jsonPath(item + "key")
                .isEqualTo("42")
                .jsonPath(item + "provider")
                .isEqualTo("redis")
                .jsonPath(item + "mode")
                .isEqualTo("EXCLUSIVE")
                .jsonPath(item + "token")
                .isEqualTo(held.fencingToken().value())
                .jsonPath(item + "since")
                .value(since -> assertThat(since).asString().endsWith("Z"))
                .jsonPath(item + "remainingMillis")
                .isNumber()
                .jsonPath(item + "thread")
                .isEqualTo(Thread.currentThread().getName());
    }

    @Test
    void theEndpointShowsWhoWaits() {
        CompletableFuture<HeldLock> next =
                client.acquireAsync(client.request("orders", "42").withWaitTime(Duration.ofMinutes(5)));
        get("/actuator/locks?name=orders")
                .jsonPath("$.waiting.items[0].key")
                .isEqualTo("42")
                .jsonPath("$.waiting.items[0].waitedMillis")
                .isNumber();
        next.cancel(true);
    }

    @Test
    void theStoreTellsWhoHoldsOneLock() {
        get("/actuator/locks?name=orders&key=42")
                .jsonPath("$.holders[0].instance")
                .isEqualTo("flash-sale@here")
                .jsonPath("$.holders[0].here")
                .isEqualTo(true)
                .jsonPath("$.holders[0].token")
                .isEqualTo(held.fencingToken().value());
        get("/actuator/locks?name=orders&key=43").jsonPath("$.held").isEqualTo(false);
    }

    @Test
    void inRedisTheOwnerIsReadable() {
        assertThat(redis.opsForValue().get("lock:{orders:42}")).startsWith("flash-sale@here~");
    }

    @Test
    void aBadQuestionIsRefused() {
        http.get()
                .uri("/actuator/locks?key=42")
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType("application/problem+json")
                .expectBody()
                .jsonPath("$.status")
                .isEqualTo(400)
                .jsonPath("$.detail")
                .isEqualTo("give the name and key of a lock");
    }

    @Test
    void aLockIsTakenAwayByItsTokenAlone() {
        long token = held.fencingToken().value();
        delete(token + 1).expectStatus().isEqualTo(409);
        assertThat(held.isHeld()).isTrue();
        delete(token).expectStatus().isOk().expectBody().jsonPath("$.release").isEqualTo("RELEASED");
        assertThat(held.isHeld()).isFalse();
        await().untilAsserted(() -> get("/actuator/locks?name=orders")
                .jsonPath("$.losses[0].token")
                .isEqualTo(token)
                .jsonPath("$.losses[0].reason")
                .isEqualTo("NOT_OWNER"));
    }

    private RestTestClient.ResponseSpec delete(long token) {
        return http.delete()
                .uri("/actuator/locks?name=orders&key=42&token=" + token)
                .exchange();
    }

    @Test
    void healthTellsHowRedisIs() {
        String redisHealth = "$.components.distributedLock.components.redis.";
        get("/actuator/health")
                .jsonPath(redisHealth + "status")
                .isEqualTo("UP")
                .jsonPath(redisHealth + "details.role")
                .isEqualTo("master")
                .jsonPath(redisHealth + "details.maxmemory-policy")
                .isEqualTo("noeviction");
    }

    @Test
    void prometheusFindsTheMetersByName() {
        client.acquire(client.request("orders", "43")).release();
        String scraped = new String(get("/actuator/prometheus").returnResult().getResponseBody(), UTF_8);
        assertThat(scraped.lines().filter(line -> line.contains("lock=\"orders\"")))
                .anyMatch(line -> line.startsWith("distributed_lock_acquire_seconds_count{"))
                .anyMatch(line -> line.startsWith("distributed_lock_held_seconds_count{"))
                .anyMatch(line -> line.startsWith("distributed_lock_active_locks{"))
                .anyMatch(line -> line.startsWith("distributed_lock_waiting_calls{"))
                .anyMatch(line -> line.startsWith("distributed_lock_lost_total{"))
                .noneMatch(line -> line.contains("43\""));
        assertThat(scraped).contains("distributed_lock_reaped_total", "distributed_lock_clock_anomalies_total");
    }
}
