package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.distlock.spring.template.LockTemplate;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** Methods of which several calls may run at the same time, over all instances. */
class PermitsTests {

    private static final LockKey IMPORTS = LockKey.of("imports");

    static class Imports {

        @DistributedLock(name = "imports", permits = "3")
        public int run(Runnable body) {
            body.run();
            return LockContext.requireHeld("imports").permit();
        }

        @DistributedLock(name = "imports", permits = "${imports.at-once}")
        public int configured() {
            return LockContext.current().permit();
        }

        @DistributedLock(name = "imports", key = "#customer", permits = "2")
        public int of(String customer, Runnable body) {
            body.run();
            return LockContext.requireHeld("imports", customer).permit();
        }

        @DistributedLock(name = "imports", key = "#customers", permits = "2")
        public void ofSome(Object customers) {}

        @DistributedLock(name = "imports", permits = "3")
        public CompletableFuture<Integer> later(CompletableFuture<Integer> body) {
            return body;
        }

        @DistributedLock(name = "imports", permits = "3")
        public Mono<Integer> mono(Mono<Integer> body) {
            return body;
        }

        @DistributedLock(name = "audit")
        @DistributedLock(name = "imports", permits = "3")
        @DistributedLock(name = "imports", permits = "2")
        public int smallest() {
            LockContext.requireHeld("audit");
            return LockContext.requireHeld("imports").permit();
        }

        @DistributedLock("imports")
        public int alone() {
            return LockContext.current().permit();
        }
    }

    private static void run(Consumer<ApplicationContext> work) {
        LockTestContext.manual()
                .withPropertyValues("imports.at-once=2")
                .withBean(Imports.class)
                .run(work::accept);
    }

    private static LockRequest elsewhere(LockClient other, int permits) {
        return other.request(IMPORTS).withPermits(permits).withWaitTime(Duration.ZERO);
    }

    @Test
    void asManyCallsRunAtOnceAsThereArePermitsOverAllInstances() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            LockClient other = LockTestContext.another(context);
            HeldLock one = other.acquire(elsewhere(other, 3));
            HeldLock two = other.acquire(elsewhere(other, 3));
            int permit = imports.run(
                    () -> assertThat(other.tryAcquire(elsewhere(other, 3))).isEmpty());
            assertThat(permit).isEqualTo(6 - one.permit() - two.permit());
            other.acquire(elsewhere(other, 3));
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> imports.run(() -> {}));
        });
    }

    @Test
    void theNumberMayBeAProperty() {
        run(context -> {
            LockClient other = LockTestContext.another(context);
            other.acquire(elsewhere(other, 2));
            assertThat(context.getBean(Imports.class).configured()).isBetween(1, 2);
            other.acquire(elsewhere(other, 2));
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> context.getBean(Imports.class).configured());
        });
    }

    @Test
    void aCallInsideRunsUnderThePermitOfTheOuterOne() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            int[] inner = new int[1];
            int outer = imports.run(() -> inner[0] = imports.run(() -> {}));
            assertThat(inner[0]).isEqualTo(outer);
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
        });
    }

    @Test
    void aCallInsideThatNeedsOneOfFewerPermitsRunsUnderOneOfThose() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            LockClient other = LockTestContext.another(context);
            HeldLock first = other.acquire(other.request(IMPORTS).withPermits(1).withWaitTime(Duration.ZERO));
            int outer = imports.run(() ->
                    assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(imports::alone));
            assertThat(outer).isGreaterThan(1);
            first.release();
            assertThat(imports.run(() -> assertThat(imports.alone()).isEqualTo(1)))
                    .isBetween(1, 3);
        });
    }

    @Test
    void eachItemHasPermitsOfItsOwn() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            imports.of("a", () -> imports.of("b", () -> {}));
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
        });
    }

    @Test
    void futuresAndPublishersHoldTheirPermitsUntilTheyAreDone() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            LockClient other = LockTestContext.another(context);
            CompletableFuture<Integer> body = new CompletableFuture<>();
            CompletableFuture<Integer> future = imports.later(body);
            CompletableFuture<Integer> mono =
                    imports.mono(Mono.fromFuture(body)).toFuture();
            await().until(() -> context.getBean(LockClient.class).held().count() == 2);
            other.acquire(elsewhere(other, 3));
            assertThat(other.tryAcquire(elsewhere(other, 3))).isEmpty();
            body.complete(7);
            assertThat(future.join() + mono.join()).isEqualTo(14);
            assertThat(other.tryAcquire(elsewhere(other, 3))).isPresent();
        });
    }

    @Test
    void ofOneKeyWithSeveralNumbersTheFewestCount() {
        run(context -> assertThat(context.getBean(Imports.class).smallest()).isBetween(1, 2));
        run(context -> {
            context.getBean(Imports.class).smallest();
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
        });
    }

    @Test
    void aTemplateTakesPermitsToo() {
        run(context -> {
            LockTemplate locks =
                    new LockTemplate(context.getBean(LockClients.class), context.getBean(Executions.class));
            int permit = locks.lock("imports")
                    .permits(3)
                    .call(() -> context.getBean(Imports.class).run(() -> {}));
            assertThat(permit).isBetween(1, 3);
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock("imports", List.of(1, 2)).permits(3))
                    .withMessageContaining("names one key, not 2");
        });
    }

    @Test
    void severalItemsThatOnlyTheCallKnowsAreRefusedThere() {
        run(context -> {
            Imports imports = context.getBean(Imports.class);
            imports.ofSome("one");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> imports.ofSome(List.of("one", "two")))
                    .withMessageContaining("Imports.ofSome")
                    .withMessageContaining("a request for permits names one key, not 2");
        });
    }

    static class Zero {
        @DistributedLock(permits = "0")
        public void run() {}
    }

    static class TooMany {
        @DistributedLock(permits = "65")
        public void run() {}
    }

    static class NoNumber {
        @DistributedLock(permits = "three")
        public void run() {}
    }

    static class Shared {
        @DistributedLock(permits = "3", mode = LockMode.SHARED)
        public void run() {}
    }

    static class Several {
        @DistributedLock(permits = "3", key = "#items")
        public void run(List<String> items) {}
    }

    static class SeveralInAnArray {
        @DistributedLock(permits = "3", key = "#p0")
        public void run(String[] items) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {Zero.class, TooMany.class, NoNumber.class, Shared.class, Several.class, SeveralInAnArray.class})
    void whatCannotBeMeantIsRefusedAtTheStart(Class<?> mistake) {
        LockTestContext.manual()
                .withBean(mistake)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(InvalidLockedMethodsException.class.getName())
                        .hasStackTraceContaining("permits"));
    }
}
