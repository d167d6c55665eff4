package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the body of a method with several locks knows of them. */
class LockContextOfSeveralLocksTests {

    private static final List<LockKey> BOTH = List.of(LockKey.of("a"), LockKey.of("b", "1"));

    /** Of the two locks, the one that is taken last outlives the other. */
    static class Jobs {

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", key = "'1'", renew = false, leaseTime = "60s")
        public <T> T blocking(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", key = "'1'", renew = false, leaseTime = "60s")
        public <T> CompletableFuture<T> future(Supplier<T> body) {
            return CompletableFuture.completedFuture(body.get());
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", key = "'1'", renew = false, leaseTime = "60s")
        public <T> Mono<T> mono(Function<Mono<HeldLock>, Mono<T>> body) {
            return body.apply(ReactiveLockContext.current());
        }

        @DistributedLock("c")
        public <T> T inner(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "b", key = "'1'")
        public <T> T one(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "b", key = "{'1'}")
        @DistributedLock("c")
        public <T> T mixed(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock("c")
        public <T> Mono<T> innerMono(Supplier<Mono<T>> body) {
            return body.get();
        }
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    private static List<List<LockKey>> keys(List<HeldLock> locks) {
        return locks.stream().map(HeldLock::keys).toList();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    @Test
    void theyAreOneLock() {
        run((context, jobs) -> {
            assertThat(jobs.blocking(() -> LockContext.current().keys())).isEqualTo(BOTH);
            assertThat(get(jobs.future(() -> LockContext.current().keys()))).isEqualTo(BOTH);
            assertThat(jobs.mono(lock -> lock.map(HeldLock::keys)).block()).isEqualTo(BOTH);
        });
    }

    @Test
    void aCallInsideThatAsksForOneOfThemSeesThatOneOnly() {
        run((context, jobs) -> assertThat(
                        jobs.blocking(() -> jobs.one(() -> LockContext.current().keys())))
                .containsExactly(LockKey.of("b", "1")));
    }

    @Test
    void whichIsTheSameObjectEachTimeAndCannotBeReleased() {
        run((context, jobs) -> jobs.blocking(() -> {
            HeldLock joint = LockContext.current();
            assertThat(LockContext.current()).isSameAs(joint);
            assertThatIllegalStateException().isThrownBy(joint::close);
            return assertThat(joint.isHeld()).isTrue();
        }));
    }

    @Test
    void whichIsLostWithTheFirstOfThem() {
        run((context, jobs) -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.blocking(() -> {
                        ticker.advance(Duration.ofSeconds(11));
                        LockContext.current().ensureHeld();
                        throw new AssertionError("went on without the first lock");
                    }));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(jobs.future(() -> {
                        ticker.advance(Duration.ofSeconds(11));
                        LockContext.current().ensureHeld();
                        throw new AssertionError("went on without the first lock");
                    })))
                    .withCauseInstanceOf(LockLostException.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> jobs.mono(lock -> lock.map(joint -> {
                                ticker.advance(Duration.ofSeconds(11));
                                joint.ensureHeld();
                                throw new AssertionError("went on without the first lock");
                            }))
                            .block());
        });
    }

    @Test
    void whichHasATokenForEachOfThemAndNotOne() {
        run((context, jobs) -> jobs.blocking(() -> {
            assertThat(LockContext.current().sequencers()).hasSize(2);
            return assertThatIllegalStateException()
                    .isThrownBy(() -> LockContext.current().fencingToken())
                    .withMessageContaining("sequencers()");
        }));
    }

    @Test
    void allAreListedOutermostFirst() {
        run((context, jobs) -> {
            assertThat(LockContext.all()).isEmpty();
            assertThat(jobs.blocking(() -> jobs.inner(() -> keys(LockContext.all()))))
                    .containsExactly(List.of(BOTH.get(0)), List.of(BOTH.get(1)), List.of(LockKey.of("c")));
            assertThat(get(jobs.future(() -> keys(LockContext.all())))).hasSize(2);
            assertThat(jobs.mono(lock -> jobs.innerMono(() -> ReactiveLockContext.all()))
                            .map(LockContextOfSeveralLocksTests::keys)
                            .block())
                    .containsExactly(List.of(BOTH.get(0)), List.of(BOTH.get(1)), List.of(LockKey.of("c")));
            assertThat(ReactiveLockContext.all().block()).isEmpty();
        });
    }

    @Test
    void theListIsForReading() {
        run((context, jobs) -> jobs.blocking(() -> {
            List<HeldLock> all = LockContext.all();
            all.forEach(lock -> assertThatIllegalStateException().isThrownBy(lock::close));
            return assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(all::clear);
        }));
    }

    @Test
    void aLockThatIsEnteredAgainIsListedOnceAndIsCurrent() {
        run((context, jobs) -> jobs.blocking(() -> jobs.mixed(() -> {
            assertThat(LockContext.current().keys()).containsExactly(BOTH.get(1), LockKey.of("c"));
            return assertThat(LockContext.all()).hasSize(3);
        })));
    }

    @Test
    void oneIsRequiredByNameAndKey() {
        run((context, jobs) -> {
            jobs.blocking(() -> jobs.inner(
                    () -> assertThat(LockContext.requireHeld("b", "1").keys()).containsExactly(BOTH.get(1))));
            assertThat(get(jobs.future(() -> LockContext.requireHeld("b", "1").keys())))
                    .containsExactly(BOTH.get(1));
            assertThat(jobs.mono(lock ->
                                    ReactiveLockContext.requireHeld("b", "1").map(HeldLock::keys))
                            .block())
                    .containsExactly(BOTH.get(1));
        });
    }

    @Test
    void oneThatIsRequiredAndNotHeldIsNamedWithTheCure() {
        run((context, jobs) -> {
            jobs.blocking(() -> assertThatIllegalStateException()
                    .isThrownBy(() -> LockContext.requireHeld("b", "2"))
                    .withMessageContaining("no lock 'b:2' is held by this call")
                    .withMessageContaining("on the injected bean, not on"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> jobs.mono(lock -> ReactiveLockContext.requireHeld("a", "1"))
                            .block())
                    .withMessageContaining("no lock 'a:1' is held here");
            assertThatIllegalArgumentException().isThrownBy(() -> LockContext.requireHeld("b", " "));
        });
    }

    @Test
    void oneThatIsRequiredIsStillHeld() {
        run((context, jobs) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> jobs.blocking(() -> {
                    context.getBean(ManualTicker.class).advance(Duration.ofSeconds(61));
                    return LockContext.requireHeld("b", "1");
                })));
    }

    @Test
    void nothingIsLeftAfterwards() {
        run((context, jobs) -> {
            Flux.range(0, 3).doOnNext(turn -> jobs.blocking(() -> null)).blockLast();
            assertThat(LockContext.all()).isEmpty();
            assertThat(LockContext.find()).isEmpty();
        });
    }
}
