package io.distlock.applications.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.applications.Gate;
import io.distlock.applications.Threads;
import io.distlock.applications.orders.OrderService.Shipment;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(
        webEnvironment = RANDOM_PORT,
        properties = {
            "spring.threads.virtual.enabled=true",
            "spring.jpa.open-in-view=true",
            "distributed-lock.web.problem-details=true",
            "distributed-lock.shutdown-timeout=0s",
            // A busy machine is no store that is silent.
            "distributed-lock.redis.call-timeout=5s",
            "distributed-lock.redis.connect-timeout=10s",
            "spring.data.redis.repositories.enabled=false",
            "management.endpoints.web.exposure.include=health, locks, metrics",
            "management.endpoint.health.show-components=always",
            "management.endpoint.locks.show-values=always",
            "management.endpoint.locks.force-release=true",
            // spring.data.redis.* leads nowhere: locks have a Redis of their own.
            "spring.data.redis.port=1",
            "management.health.redis.enabled=false"
        })
@DirtiesContext // which would try to reach its Redis for as long as other tests run
class OrdersApplicationTests {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private static final long ORDER = 42;

    private final LockClient locks;
    private final Purchases purchases;
    private final Journal journal;
    private final Gate gate;
    private final RestTestClient http;

    OrdersApplicationTests(
            @Autowired LockClient locks,
            @Autowired Purchases purchases,
            @Autowired Journal journal,
            @Autowired Gate gate,
            @LocalServerPort int port) {
        this.locks = locks;
        this.purchases = purchases;
        this.journal = journal;
        this.gate = gate;
        this.http = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        registry.add("orders.locks.host", () -> redis.server().host());
        registry.add("orders.locks.port", () -> redis.server().port());
    }

    @BeforeEach
    void newOrder() {
        purchases.save(new Purchase(ORDER));
        gate.reset();
        // Warm, with time enough on a busy machine.
        purchases.save(new Purchase(41));
        post("/orders/41/pack").expectStatus().isOk();
    }

    @AfterEach
    void leave() {
        gate.open();
        redis.server().thaw();
    }

    private RestTestClient.ResponseSpec post(String path) {
        return http.post().uri(path).exchange();
    }

    @Test
    void theLockIsReleasedAfterTheCommit() {
        Shipment shipment = post("/orders/42/ship")
                .expectStatus()
                .isOk()
                .expectBody(Shipment.class)
                .returnResult()
                .getResponseBody();
        assertThat(shipment).isNotNull();
        assertThat(shipment.token()).isPositive();
        assertThat(shipment.virtualThread()).isEqualTo(Threads.canBeVirtual());
        await().untilAsserted(() -> assertThat(journal.entries())
                .containsSubsequence("42 committed, the lock is held", "42 released, others see it shipped"));
    }

    @Test
    void requestsForOneOrderDoNotOverwriteEachOther() {
        List<CompletableFuture<Void>> requests = IntStream.range(0, 8)
                .mapToObj(each -> CompletableFuture.runAsync(
                        () -> post("/orders/42/pack").expectStatus().isOk()))
                .toList();
        requests.forEach(CompletableFuture::join);
        assertThat(purchases.findById(ORDER)).map(Purchase::parcels).contains(8);
    }

    @Test
    void aRequestForAnOrderThatIsLockedElsewhereIsAConflict() {
        try (HeldLock elsewhere = locks.acquire(locks.request("orders", "42"))) {
            post("/orders/42/ship")
                    .expectStatus()
                    .isEqualTo(HttpStatus.CONFLICT)
                    .expectHeader()
                    .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .expectBody()
                    .jsonPath("$.detail")
                    .isEqualTo("Another request is working on the same thing.");
            assertThat(elsewhere.isHeld()).isTrue();
        }
        assertThat(purchases.findById(ORDER)).map(Purchase::state).contains("new");
    }

    @Test
    void aRequestWhileRedisIsSilentIsToBeRepeated() {
        redis.server().freeze();
        post("/orders/42/ship")
                .expectStatus()
                .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
                .expectHeader()
                .valueEquals(HttpHeaders.RETRY_AFTER, "1");
        redis.server().thaw();
        await().untilAsserted(() -> post("/orders/42/ship").expectStatus().isOk());
    }

    @Test
    void aTransactionWhoseLockIsTakenAwayIsRolledBack() throws Exception {
        CompletableFuture<RestTestClient.ResponseSpec> request =
                CompletableFuture.supplyAsync(() -> post("/orders/42/inspect"));
        gate.awaitArrival();
        HeldLockToken held = heldLock();
        http.delete()
                .uri("/actuator/locks?name=orders&key=42&token={token}", held.token())
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.release")
                .isEqualTo("RELEASED");
        gate.open();
        request.get(30, TimeUnit.SECONDS).expectStatus().isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
        assertThat(purchases.findById(ORDER)).map(Purchase::state).contains("new");
        http.get()
                .uri("/actuator/locks")
                .exchange()
                .expectBody()
                .jsonPath("$.losses[0].reason")
                .isEqualTo("NOT_OWNER");
    }

    private record HeldLockToken(String owner, long token) {}

    /** As an operator finds it: the list of this instance, then the store's answer. */
    private HeldLockToken heldLock() {
        http.get()
                .uri("/actuator/locks?name=orders")
                .exchange()
                .expectBody()
                .jsonPath("$.held.items[0].key")
                .isEqualTo("42");
        Inspection lock = http.get()
                .uri("/actuator/locks?name=orders&key=42")
                .exchange()
                .expectBody(Inspection.class)
                .returnResult()
                .getResponseBody();
        assertThat(lock).isNotNull();
        assertThat(lock.held()).isTrue();
        return lock.holders().get(0);
    }

    private record Inspection(boolean held, List<HeldLockToken> holders) {}

    @Test
    void anAsyncMethodIsLockedOnItsOwnThread() {
        Shipment mail = post("/orders/42/mail")
                .expectStatus()
                .isOk()
                .expectBody(Shipment.class)
                .returnResult()
                .getResponseBody();
        assertThat(mail).isNotNull();
        assertThat(mail.token()).isPositive();
        assertThat(mail.virtualThread()).isEqualTo(Threads.canBeVirtual());
    }

    @Test
    void anEntityThatWasLoadedBeforeTheLockIsOutdatedUntilItIsRefreshed() {
        post("/orders/42/check")
                .expectBody()
                .jsonPath("$[0]")
                .isEqualTo("new")
                .jsonPath("$[1]")
                .isEqualTo("paid");
    }

    @Test
    void aJobRunsOnceInItsMinimumHoldTime() {
        post("/nightly").expectStatus().isOk();
        post("/nightly").expectStatus().isNotFound();
    }

    @Test
    void metricsAndHealthDescribeTheLocks() {
        post("/orders/42/ship").expectStatus().isOk();
        http.get()
                .uri("/actuator/metrics/distributed.lock.acquire?tag=lock:orders&tag=outcome:acquired")
                .exchange()
                .expectBody()
                .jsonPath("$.measurements[0].value")
                .value(Double.class, count -> assertThat(count).isPositive());
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> http.get()
                        .uri("/actuator/health")
                        .exchange()
                        .expectBody()
                        .jsonPath("$.components.distributedLock.status")
                        .isEqualTo("UP"));
    }
}
