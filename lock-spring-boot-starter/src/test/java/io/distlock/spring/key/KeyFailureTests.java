package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A key that cannot be evaluated for a call. */
class KeyFailureTests {

    static class Tenant {

        public String current() {
            throw new IllegalStateException("nobody is logged in");
        }

        public String checked() throws Exception {
            throw new Exception("no network");
        }
    }

    static class Jobs {

        @DistributedLock(name = "orders", key = "@tenant.current()")
        public void run() {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", key = "@tenant.checked()")
        public void checked() {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", condition = "@tenant.current() == 'acme'")
        public void conditional() {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", key = "#id")
        public void empty(String id) {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", key = "#id")
        public CompletableFuture<String> future(String id) {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", key = "@tenant.current()")
        public Mono<String> mono() {
            throw new AssertionError();
        }

        @DistributedLock(name = "orders", key = "#id")
        public Flux<String> flux(String id) {
            throw new AssertionError();
        }
    }

    private static void with(Consumer<Jobs> check) {
        LockTestContext.manual()
                .withBean("tenant", Tenant.class)
                .withBean(Jobs.class)
                .run(context -> check.accept(context.getBean(Jobs.class)));
    }

    @Test
    void namesLockMethodAndReasonAndKeepsTheCause() {
        with(jobs -> assertThatIllegalArgumentException()
                .isThrownBy(jobs::run)
                .withMessage(
                        "@DistributedLock key \"@tenant.current()\" of lock 'orders' on " + Jobs.class.getTypeName()
                                + ".run() cannot be evaluated: java.lang.IllegalStateException: nobody is logged in")
                .withCauseInstanceOf(IllegalStateException.class));
        with(jobs -> assertThatIllegalArgumentException()
                .isThrownBy(jobs::conditional)
                .withMessageContaining("condition \"@tenant.current() == 'acme'\" of lock 'orders' on ")
                .withMessageContaining("nobody is logged in"));
        with(jobs -> assertThatIllegalArgumentException()
                .isThrownBy(jobs::checked)
                .withMessageContaining("Jobs.checked() cannot be evaluated")
                .withRootCauseInstanceOf(Exception.class)
                .withMessageContaining("no network"));
    }

    @Test
    void thatIsNullSaysSo() {
        with(jobs -> assertThatIllegalArgumentException()
                .isThrownBy(() -> jobs.empty(null))
                .withMessageContaining("of lock 'orders' on ")
                .withMessageContaining("it evaluated to null"));
    }

    @Test
    void failsTheFutureAndNotTheCall() {
        with(jobs -> assertThat(jobs.future(null))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class)
                .withMessageContaining("of lock 'orders' on "));
    }

    @Test
    void isSignalledByAPublisher() {
        with(jobs -> {
            StepVerifier.create(jobs.mono()).verifyErrorSatisfies(KeyFailureTests::isExplained);
            StepVerifier.create(jobs.flux(null)).verifyErrorSatisfies(KeyFailureTests::isExplained);
        });
    }

    private static void isExplained(Throwable failure) {
        assertThat(failure)
                .isNotInstanceOf(CompletionException.class)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of lock 'orders' on ");
    }
}
