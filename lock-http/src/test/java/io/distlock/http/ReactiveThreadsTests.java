package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.fencing.Fence;
import io.distlock.http.Warehouse.Written;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.QueryTimeoutException;
import reactor.core.scheduler.Schedulers;

/** In WebFlux, no thread waits for the lock store, and only threads that may block call the fence and the method. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveThreadsTests {

    private final SequencerHeader header = new SequencerHeader(List.of());

    private ConfigurableApplicationContext context;
    private LockClient locks;
    private Parts parts;

    @BeforeAll
    void start() {
        context = ReactiveWarehouse.start(
                Parts.class,
                "--distributed-lock.provider=in-memory",
                "--distributed-lock.http.server.fence=redis",
                "--spring.datasource.url=jdbc:h2:mem:threads");
        locks = context.getBean(LockClient.class);
        parts = context.getBean(Parts.class);
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @BeforeEach
    void empty() {
        context.getBean(Written.class).items().clear();
        parts.silent = false;
        parts.questions.clear();
        parts.fenceFails = false;
    }

    /** More of them than any pool has threads. */
    @Test
    void requestsThatWaitForTheStoreOccupyNoThread() {
        try (HeldLock known = locks.acquire(locks.request("stock", "7"))) {
            assertThat(post("/stock/7", header.values(List.of(known))).join().statusCode())
                    .isEqualTo(200);
            parts.silent = true;
            int requests = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE + 8;
            List<CompletableFuture<HttpResponse<String>>> waiting = IntStream.range(0, requests)
                    .mapToObj(i -> post("/stock/" + i, List.of("999;exclusive;stock:" + i)))
                    .toList();
            await().untilAsserted(() -> assertThat(parts.questions).hasSize(requests));
            assertThat(post("/stock/7", header.values(List.of(known))).join().statusCode())
                    .isEqualTo(200);
            parts.questions.forEach(question -> question.complete(false));
            assertThat(waiting)
                    .allSatisfy(
                            refused -> assertThat(refused.join().statusCode()).isEqualTo(412));
        }
        assertThat(context.getBean(Written.class).items()).containsExactly("7", "7");
        assertThat(parts.calledWhereNothingMayBlock).isEmpty();
    }

    @Test
    void aFenceThatDoesNotAnswerIs503() {
        parts.fenceFails = true;
        try (HeldLock lock = locks.acquire(locks.request("stock", "7"))) {
            HttpResponse<String> refused =
                    post("/stock/7", header.values(List.of(lock))).join();
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        }
        assertThat(context.getBean(Written.class).items()).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIs503() {
        parts.silent = true;
        CompletableFuture<HttpResponse<String>> refused = post("/stock/8", List.of("1;exclusive;stock:8"));
        await().untilAsserted(() -> assertThat(parts.questions).isNotEmpty());
        parts.questions.forEach(question -> question.completeExceptionally(
                new LockUnavailableException(LockKey.of("stock", "8"), Duration.ZERO, "no answer", null)));
        assertThat(refused.join().statusCode()).isEqualTo(503);
        assertThat(context.getBean(Written.class).items()).isEmpty();
    }

    private CompletableFuture<HttpResponse<String>> post(String path, List<String> values) {
        return HttpCalls.sendAsync(Warehouse.port(context), "POST", path, values);
    }

    @Configuration(proxyBeanMethods = false)
    static class Parts {

        final Queue<CompletableFuture<Boolean>> questions = new ConcurrentLinkedQueue<>();
        final Queue<String> calledWhereNothingMayBlock = new ConcurrentLinkedQueue<>();
        volatile boolean silent;
        volatile boolean fenceFails;

        /** A store that can be silent when asked about grants. */
        @Bean
        LockProvider inMemoryLockProvider(LockRuntime runtime) {
            LockProvider behind = new InMemoryLockProvider(runtime);
            return (LockProvider) Proxy.newProxyInstance(
                    Parts.class.getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, args) -> {
                        if (method.getName().equals("callTimeout")) {
                            return Duration.ofMinutes(1);
                        } else if (silent && method.getName().equals("isCurrent")) {
                            CompletableFuture<Boolean> question = new CompletableFuture<>();
                            questions.add(question);
                            return question;
                        }
                        return method.invoke(behind, args);
                    });
        }

        @Bean
        Fence redisFence() {
            return sequencer -> {
                if (Schedulers.isInNonBlockingThread()) {
                    calledWhereNothingMayBlock.add(Thread.currentThread().getName());
                } else if (fenceFails) {
                    throw new QueryTimeoutException("no answer");
                }
            };
        }
    }
}
