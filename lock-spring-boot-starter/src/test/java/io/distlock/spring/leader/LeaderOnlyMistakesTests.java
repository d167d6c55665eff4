package io.distlock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What is found at the start. */
class LeaderOnlyMistakesTests {

    private final ApplicationContextRunner runner =
            LockTestContext.inMemory().withPropertyValues("distributed-lock.leader.roles.report.auto-start=false");

    static class Final {

        @LeaderOnly("report")
        public final void run() {}
    }

    static class Private {

        @LeaderOnly("report")
        @SuppressWarnings("UnusedMethod") // the check looks at it, nobody calls it
        private void run() {}
    }

    static class Unknown {

        @LeaderOnly("reports")
        public void run() {}
    }

    static class BothWrong {

        @LeaderOnly("reports")
        @DistributedLock(name = "orders", waitTime = "soon")
        public void run() {}
    }

    static class RoleWrong {

        @LeaderOnly("reports")
        @DistributedLock("orders")
        public void run() {}
    }

    static class NoRole {

        @LeaderOnly
        public void run() {}
    }

    static class Primitive {

        @LeaderOnly("report")
        public int run() {
            return 1;
        }
    }

    static class Unresolved {

        @LeaderOnly("${missing}")
        public void run() {}
    }

    private void assertRefused(Class<?> bean, String... message) {
        runner.withBean(bean)
                .run(context ->
                        assertThat(context).hasFailed().getFailure().message().contains(message));
    }

    @Test
    void theHeadingNamesTheAnnotationsThatHaveProblems() {
        assertRefused(Final.class, "@LeaderOnly cannot be applied");
        assertRefused(Unknown.class, "@LeaderOnly cannot be applied");
        assertRefused(BothWrong.class, "@DistributedLock and @LeaderOnly cannot be applied");
        assertRefused(RoleWrong.class, "@LeaderOnly cannot be applied");
    }

    @Test
    void aMethodThatNoProxyIntercepts() {
        assertRefused(Final.class, "Final.run()", "the method is final");
        assertRefused(Private.class, "Private.run()", "the method is private");
    }

    @Test
    void anUnknownRole() {
        assertRefused(
                Unknown.class,
                "there is no role \"reports\", but report",
                "distributed-lock.leader.roles.reports.auto-start=true");
        assertRefused(NoRole.class, "there is no role \"\"", "distributed-lock.leader.roles.<role>.auto-start=true");
        assertRefused(Unresolved.class, "missing");
    }

    @Test
    void aPrimitiveThatCannotBeEmpty() {
        assertRefused(Primitive.class, "SKIP has no empty value for the return type int", "otherwise = THROW");
    }
}
