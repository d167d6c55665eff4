package io.distlock.samples.flashsale;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.test.spring.InMemoryLocks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint over HTTP while ten thousand locks are held: what it costs is a page. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@InMemoryLocks
@TestInstance(Lifecycle.PER_CLASS)
class ManyLocksTests {

    private static final int MANY = 10_000;
    private static final int MOST_BYTES_PER_LOCK = 500;

    @Autowired
    RestTestClient http;

    @Autowired
    LockClient client;

    private List<HeldLock> held;

    @BeforeAll
    void hold() {
        held = IntStream.range(0, MANY)
                .mapToObj(key -> client.acquire(client.request("orders", "" + key)))
                .toList();
    }

    @AfterAll
    void release() {
        held.forEach(HeldLock::release);
    }

    private String get(String query) {
        byte[] body = http.get()
                .uri("/actuator/locks?" + query)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .returnResult()
                .getResponseBody();
        return new String(body, UTF_8);
    }

    private static JsonNode page(String body) {
        return JsonMapper.shared().readTree(body).get("held");
    }

    @Test
    void anAnswerIsAsLargeAsItsPage() {
        String body = get("limit=50");
        assertThat(page(body).get("total").asInt()).isEqualTo(MANY);
        assertThat(page(body).get("items")).hasSize(50);
        assertThat(body).hasSizeLessThan(50 * MOST_BYTES_PER_LOCK);
        assertThat(get("limit=500")).hasSizeLessThan(500 * MOST_BYTES_PER_LOCK);
    }

    @Test
    void eachLockIsOnOnePageInTheOrderOfTheGrants() {
        List<String> keys = new ArrayList<>();
        for (int offset = 0; offset < MANY; offset += 500) {
            page(get("limit=500&offset=" + offset))
                    .get("items")
                    .forEach(item -> keys.add(item.get("key").asString()));
        }
        assertThat(keys)
                .containsExactlyElementsOf(
                        IntStream.range(0, MANY).mapToObj(Integer::toString).toList());
    }
}
