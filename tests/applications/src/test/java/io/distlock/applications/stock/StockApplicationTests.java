package io.distlock.applications.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT;

import io.distlock.HeldLock;
import io.distlock.LockLostException;
import io.distlock.applications.Threads;
import io.distlock.applications.stock.StockService.Reservation;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

@SpringBootTest(
        webEnvironment = RANDOM_PORT,
        properties = {
            "spring.main.web-application-type=reactive",
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "spring.threads.virtual.enabled=true",
            "distributed-lock.web.problem-details=true",
            "distributed-lock.shutdown-timeout=0s",
            "distributed-lock.wait-time=60s",
            "spring.data.redis.repositories.enabled=false",
            "management.endpoints.web.exposure.include=locks",
            "management.endpoint.locks.show-values=always"
        })
@InMemoryLocks
class StockApplicationTests {

    private final StockService stock;
    private final LockTester locks;
    private final RestTestClient http;

    StockApplicationTests(@Autowired StockService stock, @Autowired LockTester locks, @LocalServerPort int port) {
        this.stock = stock;
        this.locks = locks;
        this.http = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    private RestTestClient.ResponseSpec post(String path) {
        return http.post().uri(path).exchange();
    }

    private String text(RestTestClient.ResponseSpec response) {
        return response.expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }

    @Test
    void theChainFindsItsLockAndTheBodyRunsOnTheApplicationsExecutor() {
        Reservation reservation = post("/stock/chair/reserve")
                .expectStatus()
                .isOk()
                .expectBody(Reservation.class)
                .returnResult()
                .getResponseBody();
        assertThat(reservation).isNotNull();
        assertThat(reservation.token()).isPositive();
        assertThat(reservation.virtualThread()).isEqualTo(Threads.canBeVirtual());
        locks.assertThatLock("stock", "chair").wasAcquired().wasReleased().isFree();
    }

    @Test
    void requestsForOneItemFollowOneAnother() {
        List<CompletableFuture<Void>> requests = IntStream.range(0, 16)
                .mapToObj(each -> CompletableFuture.runAsync(
                        () -> post("/stock/table/reserve").expectStatus().isOk()))
                .toList();
        requests.forEach(CompletableFuture::join);
        assertThat(stock.pieces("table")).isEqualTo(16);
    }

    @Test
    void aRequestThatIsRefusedIsAConflictAndWaitersAreSeenFromOutside() {
        locks.refuse("stock", "lamp");
        post("/stock/lamp/reserve")
                .expectStatus()
                .isEqualTo(HttpStatus.CONFLICT)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
        HeldLock elsewhere = locks.holdElsewhere("stock", "sofa");
        Disposable request = stock.reserve("sofa").subscribe();
        await().untilAsserted(() -> http.get()
                .uri("/actuator/locks?name=stock")
                .exchange()
                .expectBody()
                .jsonPath("$.waiting.items[0].key")
                .isEqualTo("sofa"));
        request.dispose();
        await().untilAsserted(() -> http.get()
                .uri("/actuator/locks?name=stock")
                .exchange()
                .expectBody()
                .jsonPath("$.waiting.total")
                .isEqualTo(0));
        elsewhere.release();
        locks.assertThatLock("stock", "sofa").isFree();
    }

    @Test
    void aRequestWhileTheStoreIsSilentIsToBeRepeated() {
        locks.failStore();
        post("/stock/desk/reserve")
                .expectStatus()
                .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
                .expectHeader()
                .valueEquals("Retry-After", "1");
    }

    @Test
    void losingTheLockCancelsTheSubscription() {
        CompletableFuture<Integer> counting = stock.count("shelf").toFuture();
        await().until(() -> stock.counting() == 1);
        locks.lose("stock", "shelf");
        assertThatThrownBy(counting::join).hasCauseInstanceOf(LockLostException.class);
        await().untilAsserted(() -> assertThat(stock.cancelled()).isEqualTo(1));
    }

    @Test
    void aBusyLockIsSkippedOrReplaced() {
        HeldLock elsewhere = locks.holdElsewhere("stock", "mirror");
        assertThat(text(post("/stock/mirror/tidy"))).isEqualTo("skipped");
        assertThat(text(http.get().uri("/stock/mirror/price").exchange())).isEqualTo("estimated");
        elsewhere.release();
        assertThat(text(post("/stock/mirror/tidy"))).isEqualTo("tidied");
        assertThat(text(http.get().uri("/stock/mirror/price").exchange())).isEqualTo("exact");
    }

    @Test
    void severalKeysAreLockedTogether() {
        post("/stock/b/move/a")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$[0]")
                .isEqualTo("a")
                .jsonPath("$[1]")
                .isEqualTo("b");
        locks.assertThatLock("stock", "a").wasReleased();
        locks.assertThatLock("stock", "b").wasReleased();
    }

    @Test
    void theKeyIsThatOfTheCallAndTheLockThatOfTheSubscription() {
        Mono<Reservation> reservation = stock.reserve("bench");
        locks.assertThatLock("stock", "bench").wasNeverAcquired();
        Reservation first = reservation.block();
        Reservation second = reservation.block();
        assertThat(first).isNotNull();
        assertThat(second).isNotNull();
        assertThat(second.token()).isGreaterThan(first.token());
        locks.assertThatLock("stock", "bench").wasAcquiredTimes(2);
    }
}
