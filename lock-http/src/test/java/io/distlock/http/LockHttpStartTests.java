package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.transaction.PlatformTransactionManager;

/** What stops the start, and what does not. */
class LockHttpStartTests {

    private static final String SECRET = "distributed-lock.http.secret=0123456789abcdef0123456789abcdef";

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LockHttpClientAutoConfiguration.class,
                    LockHttpServerAutoConfiguration.class));

    @Test
    void withoutAnAnnotationNothingIsNeeded() {
        context.run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void neitherBootsClientsNorTransactionsAreNeeded() {
        context.withClassLoader(new FilteredClassLoader(
                        RestClientCustomizer.class, WebClientCustomizer.class, PlatformTransactionManager.class))
                .withPropertyValues(SECRET)
                .run(started -> assertThat(started).hasNotFailed().hasBean("requiredLockReceiver"));
    }

    @Test
    void somethingMustBeAbleToTellAGenuineGrant() {
        assertStops(
                context.withBean(Good.class),
                "there is no lock provider: add one, or set distributed-lock.http.secret");
        context.withBean(Good.class)
                .withPropertyValues(SECRET)
                .run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void theChosenFenceMustExist() {
        assertStops(
                context.withBean(Good.class).withPropertyValues(SECRET, "distributed-lock.http.server.fence=redis"),
                "add lock-redis and set distributed-lock.redis.fencing.enabled to true");
    }

    @Test
    void aMethodThatCannotBeInterceptedStopsTheStart() {
        assertStops(
                context.withBean("finalMethod", FinalMethod.class).withPropertyValues(SECRET),
                "of bean 'finalMethod' would be ignored: a private, static or final method cannot be intercepted");
        assertStops(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(
                                LockHttpClientAutoConfiguration.class, LockHttpServerAutoConfiguration.class))
                        .withBean(Good.class)
                        .withPropertyValues(SECRET),
                "would be ignored: the bean has no proxy");
    }

    @Test
    void anAnnotationThatCannotBeUsedStopsTheStart() {
        assertStops(context.withBean(NoExpression.class).withPropertyValues(SECRET), "cannot be used");
        assertStops(context.withBean(NoName.class).withPropertyValues(SECRET), "lock name \"\" is blank");
    }

    @Test
    void aShortSecretIsRefusedAndNotShown() {
        context.withPropertyValues("distributed-lock.http.secret=swordfish")
                .run(started -> assertThat(started).getFailure().satisfies(failure -> {
                    var trace = new StringWriter();
                    failure.printStackTrace(new PrintWriter(trace));
                    assertThat(trace.toString())
                            .contains("distributed-lock.http.secret", "use at least 32")
                            .doesNotContain("swordfish");
                }));
    }

    @Test
    void hostsAreNamesWithoutSchemes() {
        for (String wrong : new String[] {"http://stock", "*.example.com"}) {
            assertStops(
                    context.withPropertyValues("distributed-lock.http.client.hosts=" + wrong),
                    "\"" + wrong + "\" is not a host");
        }
    }

    private static void assertStops(ApplicationContextRunner runner, String message) {
        runner.run(started -> assertThat(started).getFailure().hasStackTraceContaining(message));
    }

    static class Good {

        @RequireLock(name = "a")
        public void run() {}
    }

    static class FinalMethod {

        @RequireLock(name = "a")
        public final void run() {}
    }

    static class NoExpression {

        @RequireLock(name = "a", key = "#(")
        public void run() {}
    }

    static class NoName {

        @RequireLock(name = "")
        public void run() {}
    }
}
