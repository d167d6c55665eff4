package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Which method is called in place of one that did not get its lock. */
class FallbackTests {

    static class Base {

        @SuppressWarnings("unused") // by its name
        private String inherited(long id) {
            return "inherited " + id;
        }

        @SuppressWarnings("unused") // by its name
        private String exactAbove(String id) {
            return "exact " + id;
        }

        @SuppressWarnings("unused") // by its name
        private String exactBelow(Object id) {
            return "general " + id;
        }

        @SuppressWarnings("unused") // by its name
        private static String fixed(long id) {
            return "static " + id;
        }
    }

    interface Port {

        default String byDefault(long id) {
            return "default " + id;
        }
    }

    @SuppressWarnings("unused") // by their names
    static class Jobs extends Base implements Port {

        private final String state = "state";

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "same")
        public String sameArguments(long id) {
            return "done";
        }

        private String same(long id) {
            return state + " " + id + " " + LockContext.find().isPresent();
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "reasoned")
        public String withReason(long id, Callable<String> body) throws Exception {
            return body.call();
        }

        private String reasoned(long id, Callable<?> body, LockNotAcquiredException why) {
            return id + " busy " + why.key();
        }

        private String reasoned(long id, Callable<?> body, LockUnavailableException why) {
            return id + " silent " + why.key();
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "either")
        public String eitherReason() {
            return "done";
        }

        protected String either(LockException why) {
            return why.getClass().getSimpleName();
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "inherited")
        public String fromAbove(long id) {
            return "done";
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "fixed")
        public String fromAboveStatic(long id) {
            return "done";
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "byDefault")
        public String fromInterface(long id) {
            return "done";
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "exactAbove")
        public String withExactAbove(String id) {
            return "done";
        }

        private String exactAbove(Object id) {
            return "general " + id;
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "exactBelow")
        public String withExactBelow(String id) {
            return "done";
        }

        private String exactBelow(String id) {
            return "exact " + id;
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "failing")
        public String failingFallback() throws IOException {
            return "done";
        }

        private String failing() throws IOException {
            throw new IOException("of the fallback");
        }
    }

    private interface Check {

        void with(Jobs jobs, FaultyLockProvider provider) throws Exception;
    }

    private static void whileAnotherHolds(Check test) {
        run((context, jobs) -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("job"))) {
                test.with(jobs, context.getBean(FaultyLockProvider.class));
                assertThat(held.isHeld()).isTrue();
            }
        });
    }

    private interface Work {

        void with(AssertableApplicationContext context, Jobs jobs) throws Exception;
    }

    private static void run(Work work) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> work.with(context, context.getBean(Jobs.class)));
    }

    @Test
    void aPrivateMethodWithTheSameArgumentsIsCalledOnTheBeanItselfAndWithoutTheLock() {
        whileAnotherHolds((jobs, provider) -> assertThat(jobs.sameArguments(7)).isEqualTo("state 7 false"));
    }

    @Test
    void theReasonChoosesBetweenMethodsOfOneName() {
        whileAnotherHolds((jobs, provider) -> {
            assertThat(jobs.withReason(7, () -> "done")).isEqualTo("7 busy job");
            assertThat(jobs.eitherReason()).isEqualTo("LockNotAcquiredException");
            provider.onAcquire(Fault.ERROR);
            assertThat(jobs.withReason(7, () -> "done")).isEqualTo("7 silent job");
            assertThat(jobs.eitherReason()).isEqualTo("LockUnavailableException");
        });
    }

    @Test
    void aSilentStoreIsToldToTheCallerWhereNoMethodDeclaresIt() {
        whileAnotherHolds((jobs, provider) -> {
            provider.onAcquire(Fault.ERROR);
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> jobs.sameArguments(7));
        });
    }

    @Test
    void methodsAboveTheClassAreFound() {
        whileAnotherHolds((jobs, provider) -> {
            assertThat(jobs.fromAbove(7)).isEqualTo("inherited 7");
            assertThat(jobs.fromAboveStatic(7)).isEqualTo("static 7");
            assertThat(jobs.fromInterface(7)).isEqualTo("default 7");
        });
    }

    @Test
    void aMethodWithExactlyTheSameParametersIsPreferredWhereverItIs() {
        whileAnotherHolds((jobs, provider) -> {
            assertThat(jobs.withExactAbove("7")).isEqualTo("exact 7");
            assertThat(jobs.withExactBelow("7")).isEqualTo("exact 7");
        });
    }

    @Test
    void whatTheFallbackThrowsPassesUntouched() {
        whileAnotherHolds((jobs, provider) -> assertThatExceptionOfType(IOException.class)
                .isThrownBy(jobs::failingFallback)
                .withMessage("of the fallback"));
    }

    @Test
    void aBodyThatItselfFailsToGetALockIsNotReplaced() {
        run((context, jobs) -> {
            LockNotAcquiredException ofTheBody =
                    new LockNotAcquiredException(LockKey.of("other"), java.time.Duration.ZERO);
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> jobs.withReason(7, () -> {
                        throw ofTheBody;
                    }))
                    .isSameAs(ofTheBody);
        });
    }
}
