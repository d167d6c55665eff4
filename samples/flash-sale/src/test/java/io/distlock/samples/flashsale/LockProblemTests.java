package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.spring.DistributedLock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What HTTP clients see if a controller's method does not get its lock. */
@OperatedShop
@TestPropertySource(properties = "distributed-lock.web.problem-details=true")
@Import(LockProblemTests.Locked.class)
class LockProblemTests {

    @TestConfiguration(proxyBeanMethods = false)
    @RestController
    static class Locked {

        @DistributedLock(name = "problems", key = "#id", waitTime = "0s")
        @GetMapping("/problems/{id}")
        public String locked(@PathVariable String id) {
            if (id.equals("silent")) {
                throw new LockUnavailableException(LockKey.of("another"), Duration.ZERO, "no answer", null);
            }
            return "done";
        }
    }

    @Autowired
    LockClient client;

    @LocalServerPort
    int port;

    private RestTestClient.ResponseSpec get(String id) {
        return RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .build()
                .get()
                .uri("/problems/" + id)
                .exchange();
    }

    @Test
    void aFreeLockIsNoProblem() {
        get("1").expectStatus().isOk().expectBody(String.class).isEqualTo("done");
    }

    @Test
    void aLockThatAnotherHoldsIsAConflictThatDoesNotNameIt() {
        try (HeldLock held = client.acquire(client.request("problems", "2"))) {
            assertThat(held.isHeld()).isTrue();
            get("2").expectStatus()
                    .isEqualTo(409)
                    .expectBody(String.class)
                    .value(body -> assertThat(body).contains("Another request").doesNotContain("problems:2"));
        }
    }

    @Test
    void aSilentStoreIsUnavailableForAWhile() {
        get("silent").expectStatus().isEqualTo(503).expectHeader().valueEquals("Retry-After", "1");
    }
}
