package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.http.Warehouse.Written;
import io.distlock.spring.LockContext;
import io.distlock.spring.template.LockTemplate;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** What a receiver does with good and bad headers, over real HTTP: the same for both kinds of web application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RequireLockContract {

    final SequencerHeader header = new SequencerHeader(List.of());

    ConfigurableApplicationContext context;
    LockClient locks;
    List<String> written;

    /** Its beans include a {@link Written}. */
    abstract ConfigurableApplicationContext start(String... arguments);

    /** Calls a method that requires a lock on this thread. */
    abstract void writeOutsideOfARequest();

    @BeforeAll
    void start() {
        context = start(
                "--distributed-lock.provider=in-memory", "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
        locks = context.getBean(LockClient.class);
        written = context.getBean(Written.class).items();
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @BeforeEach
    void empty() {
        written.clear();
    }

    @Test
    void aHolderIsServed() {
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/stock/7", lock).body()).isEqualTo("written");
            assertThat(post("/service/7", lock).body()).isEqualTo("written");
            assertThat(get("/stock/7", values(lock)).body()).isEqualTo("read");
        }
        try (HeldLock lock = locks.acquire(locks.request("stock", "8"))) {
            assertThat(post("/number/7", lock).statusCode()).isEqualTo(200);
        }
        try (HeldLock lock = locks.acquire(locks.request("all"))) {
            assertThat(post("/all", lock).statusCode()).isEqualTo(200);
        }
        assertThat(written).containsExactly("7", "7");
    }

    @Test
    void aKeyOfAnyCharactersIsTransferred() {
        String item = "größe, 50 % 日";
        try (HeldLock lock = locks.acquire(locks.request("stock", item))) {
            assertThat(post("/stock/gr%C3%B6%C3%9Fe%2C%2050%20%25%20%E6%97%A5", lock)
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(written).containsExactly(item);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/stock/7", "/service/7", "/all"})
    void withoutTheHeaderItIs428(String path) {
        assertRefused(send("POST", path, List.of()), 428);
    }

    @Test
    void aHeaderForAnotherKeyIs400() {
        try (HeldLock lock = locks.acquire(locks.request(List.of(LockKey.of("stock", "8"), LockKey.of("stock"))))) {
            assertRefused(post("/stock/7", lock), 400);
            assertRefused(post("/service/7", lock), 400);
        }
    }

    @Test
    void aPathThatIsNobodysKeyIs400() {
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            assertRefused(post("/stock/%20", lock), 400);
            assertRefused(post("/stock/" + "a".repeat(600), lock), 400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "1",
                "1;exclusive",
                "1;exclusive;stock:",
                "-1;exclusive;stock:7",
                "99999999999999999999;exclusive;stock:7",
                "1;exclusive;stock:7%",
                "1;exclusive;stock:7;tooshort",
                "1;exclusive;stock:7,2;exclusive;stock:7"
            })
    void aMalformedHeaderIs400(String value) {
        assertRefused(send("POST", "/stock/7", List.of(value)), 400);
    }

    @Test
    void headersBeyondAllBoundsAreRefused() {
        for (List<String> values : List.of(
                List.of("1;exclusive;stock:" + "7".repeat(4_000)), List.of(String.join(",", many(300))), many(50))) {
            // Each on its own connection: once, Reactor Netty did not read the request that followed a large one.
            HttpClient client = HttpClient.newHttpClient();
            assertRefused(
                    HttpCalls.sendAsync(client, Warehouse.port(context), "POST", "/stock/7", values)
                            .join(),
                    400);
        }
    }

    /** Java's client sends no more than the server takes; this is the server's own refusal. */
    @Test
    void aThousandHeadersReachNoMethod() throws IOException {
        try (Socket socket = new Socket("localhost", Warehouse.port(context))) {
            StringBuilder request = new StringBuilder("POST /stock/7 HTTP/1.1\r\nHost: localhost\r\n");
            many(1_000).forEach(value -> request.append(SequencerHeader.NAME + ": " + value + "\r\n"));
            request.append("Content-Length: 0\r\nConnection: close\r\n\r\n");
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 4");
        }
        assertThat(written).isEmpty();
    }

    private static List<String> many(int count) {
        return IntStream.range(0, count).mapToObj(i -> "1;exclusive;stock:" + i).toList();
    }

    @Test
    void aForgedTokenIs412AndLocksNobodyOut() {
        // Otherwise 1 could be the token.
        locks.acquire(locks.request("other")).close();
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            long token = lock.fencingToken().value();
            for (long forged : new long[] {1, token + 1, Long.MAX_VALUE}) {
                assertRefused(send("POST", "/stock/7", List.of(forged + ";exclusive;stock:7")), 412);
            }
            assertThat(post("/stock/7", lock).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aSharedLockIs412WhereItMustBeExclusiveAlsoIfItSaysOtherwise() {
        try (HeldLock lock = locks.acquire(locks.request("stock", "7").withMode(LockMode.SHARED))) {
            assertThat(get("/stock/7", values(lock)).body()).isEqualTo("read");
            assertRefused(post("/stock/7", lock), 412);
            assertRefused(send("POST", "/stock/7", List.of(lock.fencingToken() + ";exclusive;stock:7")), 412);
        }
    }

    @Test
    void aLockThatWasReleasedIs412UnlessItWasConfirmedAndNobodyCameLater() {
        HeldLock unknown = locks.acquire(locks.request("stock", "7"));
        unknown.close();
        assertRefused(post("/stock/7", unknown), 412);
        HeldLock known = locks.acquire(locks.request("stock", "7"));
        assertThat(post("/stock/7", known).statusCode()).isEqualTo(200);
        known.close();
        assertThat(post("/stock/7", known).statusCode()).isEqualTo(200);
        try (HeldLock later = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/stock/7", later).statusCode()).isEqualTo(200);
            written.clear();
            assertRefused(post("/stock/7", known), 412);
        }
    }

    /** The receiver has confirmed the grant before, and would take it. */
    @Test
    void aSenderThatKnowsOfItsLossSendsNothing() {
        RestClient client = RestClient.builder()
                .requestInterceptor(new LockSequencerInterceptor(Set.of("localhost")))
                .build();
        WebClient reactive = WebClient.builder()
                .filter(new LockSequencerFilter(Set.of("localhost")))
                .build();
        String url = "http://localhost:" + Warehouse.port(context) + "/stock/7";
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> context.getBean(LockTemplate.class)
                        .lock("stock", "7")
                        .run(() -> {
                            client.post().uri(url).retrieve().toBodilessEntity();
                            written.clear();
                            HeldLock mine = LockContext.current();
                            locks.forceRelease(LockKey.of("stock", "7"), mine.fencingToken());
                            await().until(() -> !mine.isHeld());
                            assertThatExceptionOfType(LockLostException.class)
                                    .isThrownBy(() ->
                                            client.post().uri(url).retrieve().toBodilessEntity());
                            assertThatExceptionOfType(LockLostException.class)
                                    .isThrownBy(() -> reactive.post()
                                            .uri(url)
                                            .retrieve()
                                            .toBodilessEntity()
                                            .block());
                        }));
        assertThat(written).isEmpty();
    }

    @Test
    void moreLocksThanAReceiverAcceptsAreNotSent() {
        List<LockKey> keys = IntStream.range(0, 17)
                .mapToObj(i -> LockKey.of("stock", "" + i))
                .toList();
        try (HeldLock sixteen = locks.acquire(locks.request(keys.subList(0, 16)))) {
            List<String> values = header.valuesOfHeld(List.of(sixteen));
            assertThat(send("POST", "/stock/7", values).statusCode()).isEqualTo(200);
        }
        try (HeldLock seventeen = locks.acquire(locks.request(keys))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> header.valuesOfHeld(List.of(seventeen)))
                    .withMessageContaining("at most 16 values");
        }
        try (HeldLock longest = locks.acquire(locks.request(IntStream.range(0, 9)
                .mapToObj(i -> LockKey.of("語".repeat(100), i + "語".repeat(100)))
                .toList()))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> header.valuesOfHeld(List.of(longest)))
                    .withMessageContaining("8192 characters in all");
        }
    }

    @Test
    void outsideOfARequestTheMethodDoesNotRun() {
        assertThatIllegalStateException()
                .isThrownBy(this::writeOutsideOfARequest)
                .withMessageContaining("has @RequireLock, but was not called");
        assertThat(written).isEmpty();
    }

    void assertRefused(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body()).contains("\"status\":" + status).doesNotContain("stock:");
        assertThat(written).isEmpty();
    }

    List<String> values(HeldLock lock) {
        return header.values(List.of(lock));
    }

    HttpResponse<String> post(String path, HeldLock lock) {
        return send("POST", path, values(lock));
    }

    private HttpResponse<String> get(String path, List<String> values) {
        return send("GET", path, values);
    }

    HttpResponse<String> send(String method, String path, List<String> values) {
        return HttpCalls.send(Warehouse.port(context), method, path, values);
    }
}
