package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.distlock.test.time.ManualTicker;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Mono;

/** Several locks on one method: all of them, in one order, or none. */
class SeveralLocksTests {

    @DistributedLock("audit")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Audited {}

    static class Jobs {

        private int runs;

        public int runs() {
            return runs;
        }

        @DistributedLock(name = "stock", key = "#items")
        @DistributedLock(name = "customer", key = "#customer")
        public void order(List<String> items, String customer) {
            LockContext.requireHeld("stock");
            LockContext.requireHeld("customer");
            runs++;
        }

        @DistributedLock(name = "row", key = "{'a', 'c'}")
        @DistributedLock(name = "row", key = "'b'")
        public void interleaved() {}

        @DistributedLock(name = "row", mode = LockMode.SHARED)
        @DistributedLock("row")
        public LockMode twice() {
            return LockContext.current().mode();
        }

        @Audited
        @DistributedLock("stock")
        public void meta() {
            LockContext.requireHeld("audit");
            LockContext.requireHeld("stock");
        }

        @DistributedLock(name = "outer", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "outerBusy")
        @DistributedLock(name = "zinner", onNotAcquired = OnNotAcquired.SKIP)
        public String strategies() {
            return "done";
        }

        @SuppressWarnings("unused") // by its name
        private String outerBusy() {
            return "outer busy";
        }

        @DistributedLock(name = "always")
        @DistributedLock(name = "large", condition = "#amount > 100")
        public int conditional(int amount) {
            LockContext.requireHeld("always");
            return amount > 100 ? LockContext.requireHeld("large").keys().size() : 0;
        }

        @DistributedLock(name = "b")
        @DistributedLock(name = "a")
        public CompletableFuture<String> future() {
            LockContext.requireHeld("b");
            return CompletableFuture.completedFuture(
                    LockContext.requireHeld("a").keys().toString());
        }

        @DistributedLock(name = "b")
        @DistributedLock(name = "a")
        public Mono<String> mono() {
            return ReactiveLockContext.requireHeld("b")
                    .then(ReactiveLockContext.requireHeld("a"))
                    .map(lock -> lock.keys().toString());
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b")
        public void losing(Runnable body) {
            body.run();
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        public void losingTheSecond(Runnable body) {
            body.run();
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        public CompletableFuture<String> losingTheSecondLater(Runnable body) {
            body.run();
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        public Mono<String> losingTheSecondInside(Runnable body) {
            return Mono.fromRunnable(body).thenReturn("done");
        }
    }

    private final List<String> journal = new CopyOnWriteArrayList<>();

    private void note(LockEvent event) {
        if (event instanceof LockEvent.Acquired || event instanceof LockEvent.Released) {
            journal.add((event instanceof LockEvent.Acquired ? "+" : "-") + event.key());
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private void run(Work work) {
        LockTestContext.manual()
                .withBean(Jobs.class)
                .withBean(LockListener.class, () -> this::note)
                .run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    private static HeldLock heldByAnother(AssertableApplicationContext context, String name) {
        LockClient other = LockTestContext.another(context);
        return other.acquire(other.request(name));
    }

    @Test
    void allAreTakenInTheOrderOfTheirKeysAndGivenBackInTheReverse() {
        run((context, jobs) -> {
            jobs.order(List.of("z", "a"), "c");
            assertThat(journal)
                    .containsExactly("+customer:c", "+stock:a", "+stock:z", "-stock:z", "-stock:a", "-customer:c");
        });
    }

    @Test
    void requestsForSeveralKeysAreTakenApartWhereTheirKeysInterleave() {
        run((context, jobs) -> {
            jobs.interleaved();
            assertThat(journal.subList(0, 3)).containsExactly("+row:a", "+row:b", "+row:c");
            assertThat(journal).hasSize(6);
        });
    }

    @Test
    void aKeyThatIsNamedTwiceIsTakenOnceAndExclusivelyIfOneSaysSo() {
        run((context, jobs) -> {
            assertThat(jobs.twice()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(journal).containsExactly("+row", "-row");
        });
    }

    @Test
    void metaAnnotationsAddUp() {
        run((context, jobs) -> {
            jobs.meta();
            assertThat(journal).startsWith("+audit", "+stock");
        });
    }

    @Test
    void ifOneCannotBeHadNoneIsKeptAndTheBodyDoesNotRun() {
        run((context, jobs) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("stock", "a"))) {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> jobs.order(List.of("a"), "c"))
                        .satisfies(refusal -> assertThat(refusal.key()).isEqualTo(LockKey.of("stock", "a")));
                assertThat(other.inspect(LockKey.of("customer", "c"))).isEmpty();
                assertThat(jobs.runs()).isZero();
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    @Test
    void eachHasItsOwnStrategy() {
        run((context, jobs) -> {
            try (HeldLock held = heldByAnother(context, "outer")) {
                assertThat(jobs.strategies()).isEqualTo("outer busy");
                assertThat(held.isHeld()).isTrue();
            }
            try (HeldLock held = heldByAnother(context, "zinner")) {
                assertThat(jobs.strategies()).isNull();
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(jobs.strategies()).isEqualTo("done");
        });
    }

    @Test
    void eachHasItsOwnCondition() {
        run((context, jobs) -> {
            assertThat(jobs.conditional(100)).isZero();
            assertThat(journal).containsExactly("+always", "-always");
            assertThat(jobs.conditional(101)).isEqualTo(1);
        });
    }

    @Test
    void futuresAndPublishersHaveAllOfThemToo() {
        run((context, jobs) -> {
            assertThat(jobs.future().get(30, TimeUnit.SECONDS)).isEqualTo("[a]");
            assertThat(journal).containsExactly("+a", "+b", "-b", "-a");
            journal.clear();
            assertThat(jobs.mono().block(Duration.ofSeconds(30))).isEqualTo("[a]");
            assertThat(journal).containsExactly("+a", "+b", "-b", "-a");
        });
    }

    @Test
    void theLossOfOneIsTold() {
        run((context, jobs) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() ->
                        jobs.losing(() -> context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11))))
                .satisfies(lost -> assertThat(lost.key()).isEqualTo(LockKey.of("a"))));
    }

    /** The lost one is closed first, and the others would be renewed for as long as a lock may be held. */
    @Test
    void theLossOfOneDoesNotKeepTheOthers() {
        run((context, jobs) -> {
            Runnable loss = () -> context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
            LockClient other = LockTestContext.another(context);
            List<ThrowingCallable> calls = List.of(
                    () -> jobs.losingTheSecond(loss),
                    () -> jobs.losingTheSecondLater(loss).get(30, TimeUnit.SECONDS),
                    () -> jobs.losingTheSecondInside(loss).block(Duration.ofSeconds(30)));
            assertThat(calls).allSatisfy(call -> {
                assertThat(catchThrowable(call))
                        .satisfiesAnyOf(
                                lost -> assertThat(lost).isInstanceOf(LockLostException.class),
                                lost -> assertThat(lost).hasCauseInstanceOf(LockLostException.class));
                assertThat(other.inspect(LockKey.of("a"))).isEmpty();
            });
        });
    }

    static class TwoMistakes {
        @DistributedLock(name = "a", waitTime = "soon")
        @DistributedLock(name = "b", key = "#")
        public void run() {}
    }

    @Test
    void theMistakesOfAllAreListed() {
        LockTestContext.manual()
                .withBean(TwoMistakes.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                failure -> assertThat(failure.problems())
                                        .extracting(problem -> problem.attribute())
                                        .containsExactly("waitTime", "key")));
    }
}
