package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockLostException;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

class LockContextTests {

    static class Jobs {

        @DistributedLock(name = "outer", key = "'1'", renew = false)
        public <T> T outer(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock("inner")
        public <T> T inner(Supplier<T> body) {
            return body.get();
        }
    }

    private static void run(Consumer<AssertableApplicationContext> test) {
        LockTestContext.manual().withBean(Jobs.class).run(test::accept);
    }

    @Test
    void theBodySeesItsLockAndItsToken() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            long first = jobs.outer(() -> LockContext.current().fencingToken().value());
            long second = jobs.outer(() -> LockContext.current().fencingToken().value());
            assertThat(second).isGreaterThan(first);
        });
    }

    @Test
    void theBodyCannotGiveItsLockBackInMidMethod() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.outer(() -> jobs.inner(() -> {
                for (HeldLock lock : List.of(LockContext.current(), LockContext.requireHeld("outer"))) {
                    assertThatIllegalStateException()
                            .isThrownBy(lock::close)
                            .withMessageContaining("is released after its method")
                            .withMessageContaining("remove the release");
                    assertThatIllegalStateException().isThrownBy(lock::release);
                    assertThatIllegalStateException().isThrownBy(lock::releaseAsync);
                    assertThat(lock.isHeld()).isTrue();
                }
                return null;
            }));
            assertThat(context.getBean(FaultyLockProvider.class).releases()).isEqualTo(2);
        });
    }

    @Test
    void outsideOfALockedMethodThereIsNoneAndTheMessageSaysWhatToDo() {
        assertThat(LockContext.find()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(LockContext::current)
                .withMessageContaining("on the injected bean, not on \"this\"");
    }

    @Test
    void theOuterLockIsCurrentAgainAfterTheInnerMethodHowEverItEnds() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.outer(() -> {
                HeldLock outer = LockContext.current();
                assertThatIllegalStateException()
                        .isThrownBy(() -> jobs.inner(() -> {
                            assertThat(LockContext.current()).isNotSameAs(outer);
                            throw new IllegalStateException("of the body");
                        }));
                assertThat(LockContext.current()).isSameAs(outer);
                return null;
            });
            assertThat(LockContext.find()).isEmpty();
        });
    }

    @Test
    void requireHeldFindsALockOfAnOuterMethodByItsName() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.outer(() -> {
                HeldLock outer = LockContext.current();
                return jobs.inner(
                        () -> assertThat(LockContext.requireHeld("outer")).isSameAs(outer));
            });
        });
    }

    @Test
    void requireHeldRefusesToGoOnWithoutThatLock() {
        run(context -> assertThatIllegalStateException()
                .isThrownBy(() -> context.getBean(Jobs.class).inner(() -> LockContext.requireHeld("outer")))
                .withMessageContaining("'outer'"));
    }

    @Test
    void requireHeldRefusesToGoOnWithALockThatWasLost() {
        run(context -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class).outer(() -> {
                        ticker.advance(Duration.ofSeconds(31));
                        // Not only at the end of the method, which reports the same loss.
                        for (Callable<HeldLock> asked : List.<Callable<HeldLock>>of(
                                () -> LockContext.requireHeld("outer"), () -> LockContext.requireHeld("outer", "1"))) {
                            assertThatExceptionOfType(LockLostException.class).isThrownBy(asked::call);
                        }
                        return null;
                    }));
        });
    }
}
