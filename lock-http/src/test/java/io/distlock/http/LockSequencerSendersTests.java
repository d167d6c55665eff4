package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.template.LockTemplate;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.Mono;

/** What both kinds of client add to a request. */
class LockSequencerSendersTests {

    private static final Set<String> HOSTS = Set.of("Stock:8080");

    @Test
    void theLocksOfTheCallAreSentToNamedHostsInAnyCase() {
        run((locks, client) -> locks.lock("audit")
                .run(() -> locks.lock("stock", "7").run(() -> {
                    for (String uri : List.of("http://stock:8080/7", "http://STOCK:8080/7")) {
                        assertThat(sent(uri, List.of()))
                                .hasSize(2)
                                .anyMatch(value -> value.endsWith(";exclusive;audit"))
                                .anyMatch(value -> value.endsWith(";exclusive;stock:7"));
                    }
                    assertThat(sent("http://stock:8081/7", List.of())).isEmpty();
                    assertThat(sent("http:///7", List.of())).isEmpty();
                })));
    }

    @Test
    void theLocksOfAPublisherGoBeforeThoseOfTheThreadThatSubscribes() {
        AtomicReference<List<String>> values = new AtomicReference<>(List.of());
        ClientRequest request = ClientRequest.create(HttpMethod.POST, URI.create("http://stock:8080/7"))
                .build();
        run((locks, client) -> locks.lock("stock", "7")
                .mono(() -> Mono.deferContextual(subscription -> {
                    Mono<ClientResponse> call = new LockSequencerFilter(HOSTS).filter(request, sent -> {
                        values.set(sent.headers().getOrDefault(SequencerHeader.NAME, List.of()));
                        return Mono.empty();
                    });
                    locks.lock("audit")
                            .run(() -> call.contextWrite(subscription).block());
                    return Mono.empty();
                }))
                .block());
        assertThat(values.get()).singleElement().asString().endsWith(";exclusive;stock:7");
    }

    @Test
    void withASecretTheValuesAreSigned() {
        String secret = "0123456789abcdef0123456789abcdef";
        run((locks, client) -> locks.lock("stock", "7").run(() -> {
            List<String> values = sent(
                    "http://stock:8080/7",
                    List.of(),
                    new LockSequencerFilter(HOSTS, secret),
                    new LockSequencerInterceptor(HOSTS, secret));
            assertThat(new SequencerHeader(List.of(secret)).parse(values)).containsKey(LockKey.of("stock", "7"));
        }));
    }

    @Test
    void aHeaderThatIsAlreadyThereStaysAsItIs() {
        run((locks, client) -> locks.lock("stock", "7")
                .run(() -> assertThat(sent("http://stock:8080/7", List.of("1;exclusive;other")))
                        .containsExactly("1;exclusive;other")));
    }

    @Test
    void withoutALockNothingIsAdded() {
        assertThat(sent("http://stock:8080/7", List.of())).isEmpty();
    }

    @Test
    void nothingIsSentIfOneOfSeveralLocksIsGone() {
        SequencerHeader header = new SequencerHeader(List.of());
        run((locks, client) -> {
            try (HeldLock held = client.acquire(client.request("a"))) {
                HeldLock gone = client.acquire(client.request(List.of(LockKey.of("b"), LockKey.of("c"))));
                assertThat(header.valuesOfHeld(List.of(held, gone, held))).hasSize(3);
                gone.release();
                for (List<HeldLock> both : List.of(List.of(held, gone), List.of(gone, held))) {
                    assertThatIllegalStateException().isThrownBy(() -> header.valuesOfHeld(both));
                }
            }
        });
    }

    /** The receiver would answer 400 to more, after the call has done half of its work. */
    @Test
    void asManyLocksAreSentAsAReceiverAcceptsAndNoMore() {
        SequencerHeader header = new SequencerHeader(List.of());
        run((locks, client) -> {
            List<LockKey> keys = IntStream.range(0, SequencerHeader.MAX_VALUES + 1)
                    .mapToObj(i -> LockKey.of("k" + i))
                    .toList();
            List<LockKey> tooLong = IntStream.range(0, 3)
                    .mapToObj(i -> LockKey.of("語".repeat(170), "語".repeat(169) + i))
                    .toList();
            for (List<LockKey> each : List.of(keys.subList(1, keys.size()), tooLong.subList(1, 3))) {
                try (HeldLock held = client.acquire(client.request(each))) {
                    List<String> values = header.valuesOfHeld(List.of(held));
                    assertThat(header.parse(values)).hasSize(each.size());
                }
            }
            for (List<LockKey> each : List.of(keys, tooLong)) {
                try (HeldLock held = client.acquire(client.request(each))) {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> header.valuesOfHeld(List.of(held)))
                            .withMessageContaining("do not fit into the header");
                }
            }
        });
    }

    private static void run(BiConsumer<LockTemplate, LockClient> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockAopAutoConfiguration.class))
                .withPropertyValues("distributed-lock.provider=in-memory")
                .run(context -> test.accept(context.getBean(LockTemplate.class), context.getBean(LockClient.class)));
    }

    /** What either client sends. */
    private static List<String> sent(String uri, List<String> already) {
        return sent(uri, already, new LockSequencerFilter(HOSTS), new LockSequencerInterceptor(HOSTS));
    }

    private static List<String> sent(
            String uri, List<String> already, LockSequencerFilter filter, LockSequencerInterceptor interceptor) {
        AtomicReference<List<String>> reactive = new AtomicReference<>();
        ClientRequest request = ClientRequest.create(HttpMethod.POST, URI.create(uri))
                .headers(headers -> already.forEach(value -> headers.add(SequencerHeader.NAME, value)))
                .build();
        filter.filter(request, sent -> {
                    reactive.set(sent.headers().getOrDefault(SequencerHeader.NAME, List.of()));
                    return Mono.empty();
                })
                .block();
        MockClientHttpRequest blocking = new MockClientHttpRequest(HttpMethod.POST, URI.create(uri));
        already.forEach(value -> blocking.getHeaders().add(SequencerHeader.NAME, value));
        try {
            interceptor
                    .intercept(blocking, new byte[0], (any, body) -> new MockClientHttpResponse(body, HttpStatus.OK))
                    .close();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
        assertThat(blocking.getHeaders().getOrDefault(SequencerHeader.NAME, List.of()))
                .isEqualTo(reactive.get());
        return reactive.get();
    }
}
