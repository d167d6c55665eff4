package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.http.Warehouse.Written;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Senders and a receiver, with their locks on Redis. */
class HttpEndToEndTests {

    private static final String SECRET = "distributed-lock.http.secret=0123456789abcdef0123456789abcdef";

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    /** Two senders, which sign: a receiver without the secret ignores that. */
    static ConfigurableApplicationContext shop;

    static ConfigurableApplicationContext other;

    @BeforeAll
    static void open() {
        shop = shop();
        other = shop();
    }

    @AfterAll
    static void close() {
        other.close();
        shop.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.http.server.fence=jdbc distributed-lock.jdbc.fencing.enabled=true",
                "distributed-lock.http.server.fence=redis distributed-lock.redis.fencing.enabled=true",
                SECRET
            })
    void aStaleHoldersRequestIsRefused(String settings) {
        assertStaleHolderIsRefused(Warehouse::start, settings);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.http.server.fence=jdbc distributed-lock.jdbc.fencing.enabled=true",
                "distributed-lock.http.server.fence=redis distributed-lock.redis.fencing.enabled=true"
            })
    void aStaleHoldersRequestIsRefusedInWebFlux(String settings) {
        assertStaleHolderIsRefused(arguments -> ReactiveWarehouse.start(ReactiveWarehouse.class, arguments), settings);
    }

    private static void assertStaleHolderIsRefused(
            Function<String[], ConfigurableApplicationContext> receiver, String settings) {
        try (ConfigurableApplicationContext warehouse =
                receiver.apply(arguments(redis.server(), settings.split(" ")))) {
            String url = url("localhost", warehouse);
            assertThatExceptionOfType(HttpClientErrorException.class)
                    .isThrownBy(() -> shop.getBean(Orders.class).reorder("7", url, () -> {
                        // Both believe that they have the lock from here on.
                        other.getBean(LockClient.class)
                                .forceRelease(
                                        LockKey.of("stock", "7"),
                                        LockContext.current().fencingToken());
                        Orders newer = other.getBean(Orders.class);
                        assertThat(CompletableFuture.supplyAsync(() -> newer.reorder("7", url, () -> {}))
                                        .join())
                                .isEqualTo("written");
                    }))
                    .satisfies(refusal -> {
                        assertThat(refusal.getStatusCode().value()).isEqualTo(412);
                        assertThat(refusal.getResponseBodyAsString()).contains("no longer held");
                    });
            assertThat(warehouse.getBean(Written.class).items()).containsExactly("7");
        }
    }

    @Test
    void eachKindOfClientSendsTheLocksOfItsCallToTheNamedHostsAlone() {
        try (ConfigurableApplicationContext warehouse = Warehouse.start(arguments(redis.server()))) {
            Orders orders = shop.getBean(Orders.class);
            String url = url("localhost", warehouse);
            assertThat(orders.reorder("1", url, () -> {})).isEqualTo("written");
            assertThat(orders.reorderByTemplate("2", url)).isEqualTo("written");
            assertThat(orders.reorderByWebClient("3", url)).isEqualTo("written");
            assertThat(orders.reorderReactively("4", url).block()).isEqualTo("written");
            assertThat(orders.reorderWithTwo("5", url)).isEqualTo("written");
            assertThat(warehouse.getBean(Written.class).items()).containsExactly("1", "2", "3", "4", "5");
            // The same server by another name, which was not opted in.
            assertThatExceptionOfType(HttpClientErrorException.class)
                    .isThrownBy(() -> orders.reorder("6", url("127.0.0.1", warehouse), () -> {}))
                    .satisfies(refusal ->
                            assertThat(refusal.getStatusCode().value()).isEqualTo(428));
        }
    }

    @Test
    void aLockStoreThatDoesNotAnswerIs503AndASignatureNeedsNone() {
        try (RedisServer store = RedisServer.start();
                ConfigurableApplicationContext asking = Warehouse.start(arguments(store));
                ConfigurableApplicationContext trusting = Warehouse.start(arguments(store, SECRET))) {
            LockClient locks = asking.getBean(LockClient.class);
            List<String> signed;
            List<String> plain;
            try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
                SequencerHeader header = new SequencerHeader(List.of(SECRET.substring(SECRET.indexOf('=') + 1)));
                signed = header.values(List.of(lock));
                plain = new SequencerHeader(List.of()).values(List.of(lock));
            }
            store.kill();
            var refused = HttpCalls.send(Warehouse.port(asking), "POST", "/stock/7", plain);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(asking.getBean(Written.class).items()).isEmpty();
            int port = Warehouse.port(trusting);
            assertThat(HttpCalls.send(port, "POST", "/stock/7", plain).statusCode())
                    .isEqualTo(400);
            assertThat(trusting.getBean(Written.class).items()).isEmpty();
            assertThat(HttpCalls.send(port, "POST", "/stock/7", signed).statusCode())
                    .isEqualTo(200);
            assertThat(trusting.getBean(Written.class).items()).containsExactly("7");
        }
    }

    private static ConfigurableApplicationContext shop() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                // Reactor Netty's threads are shared in a JVM, and end with the receiver.
                .run(arguments(
                        redis.server(),
                        SECRET,
                        "distributed-lock.http.client.hosts=localhost",
                        "spring.reactor.netty.shutdown-quiet-period=0s",
                        "spring.http.clients.reactive.connector=jdk"));
    }

    private static String url(String host, ConfigurableApplicationContext warehouse) {
        return "http://" + host + ":" + Warehouse.port(warehouse) + "/stock/{item}";
    }

    private static String[] arguments(RedisServer server, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--distributed-lock.provider=redis",
                // This machine may stand still for longer than a call may usually take.
                "--distributed-lock.redis.call-timeout=10s",
                "--distributed-lock.redis.connect-timeout=10s",
                "--distributed-lock.wait-time=60s",
                // A stale holder is told by its next renewal; until then it believes that it holds its lock.
                "--distributed-lock.lease-time=10m",
                "--spring.main.banner-mode=off",
                "--spring.data.redis.host=" + server.host(),
                "--spring.data.redis.port=" + server.port(),
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()));
        Arrays.stream(settings).map(setting -> "--" + setting).forEach(arguments::add);
        return arguments.toArray(String[]::new);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Orders orders(RestClient.Builder client, RestTemplateBuilder template, WebClient.Builder webClient) {
            return new Orders(client.build(), template.build(), webClient.build());
        }
    }

    static class Orders {

        private final RestClient client;
        private final RestTemplate template;
        private final WebClient webClient;

        Orders(RestClient client, RestTemplate template, WebClient webClient) {
            this.client = client;
            this.template = template;
            this.webClient = webClient;
        }

        @DistributedLock(name = "stock", key = "#item")
        public String reorder(String item, String url, Runnable before) {
            before.run();
            return client.post().uri(url, item).retrieve().body(String.class);
        }

        @DistributedLock(name = "stock", key = "#item")
        public String reorderByTemplate(String item, String url) {
            return template.postForObject(url, null, String.class, item);
        }

        @DistributedLock(name = "stock", key = "#item")
        public String reorderByWebClient(String item, String url) {
            return send(item, url).block();
        }

        @DistributedLock(name = "stock", key = "#item")
        public Mono<String> reorderReactively(String item, String url) {
            return send(item, url);
        }

        @DistributedLock(name = "audit")
        @DistributedLock(name = "stock", key = "#item")
        public String reorderWithTwo(String item, String url) {
            return client.post().uri(url, item).retrieve().body(String.class);
        }

        private Mono<String> send(String item, String url) {
            return webClient.post().uri(url, item).retrieve().bodyToMono(String.class);
        }
    }
}
