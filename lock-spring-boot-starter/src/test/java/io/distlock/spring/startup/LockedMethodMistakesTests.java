package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.autoconfigure.Elsewhere;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.reactivex.rxjava3.core.Single;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Each thing that can be wrong with one locked method, found when the context starts. */
class LockedMethodMistakesTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    static class BadDuration {
        @DistributedLock(waitTime = "soon")
        public void run() {}
    }

    static class BadPlaceholder {
        @DistributedLock(leaseTime = "${no.such.property}")
        public void run() {}
    }

    static class BadNamePlaceholder {
        @DistributedLock("${no.such.property}")
        public void run() {}
    }

    static class LeaseTooShort {
        @DistributedLock(leaseTime = "1ms")
        public void run() {}
    }

    static class LeaseTooShortToRenew {
        @DistributedLock(leaseTime = "200ms")
        public void run() {}
    }

    static class HoldShorterThanLease {
        @DistributedLock(leaseTime = "10s", maxHoldTime = "5s")
        public void run() {}
    }

    static class MinHoldLongerThanMaxHold {
        @DistributedLock(minHoldTime = "3m", maxHoldTime = "2m")
        public void run() {}
    }

    static class NegativeWait {
        @DistributedLock(waitTime = "-1s")
        public void run() {}
    }

    static class BadSyntax {
        @DistributedLock(key = "#id +")
        public void run(long id) {}
    }

    static class UnknownParameter {
        @DistributedLock(key = "#order.id")
        public void run(long id) {}
    }

    static class BadCondition {
        @DistributedLock(condition = "#id >")
        public void run(long id) {}
    }

    static class UnknownParameterOfCondition {
        @DistributedLock(condition = "#amount > 1")
        public void run(long id) {}
    }

    static class UnknownProvider {
        @DistributedLock(provider = "etcdd")
        public void run() {}
    }

    static class BadName {
        @DistributedLock("a\nb")
        public void run() {}
    }

    static class SkipOnPrimitive {
        @DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
        public boolean run() {
            return true;
        }
    }

    static class FinalMethod {
        @DistributedLock
        public final void run() {}
    }

    @DistributedLock
    static class FinalMethodOfLockedType {
        public final void run() {}
    }

    static class PrivateMethod {
        @DistributedLock
        @SuppressWarnings("unused") // that is what is wrong with it
        private void run() {}
    }

    static class StaticMethod {
        @DistributedLock
        public static void run() {}
    }

    /** A proxy of this class stands in this package, and cannot override what is visible in the other one alone. */
    static class OutOfReach extends Elsewhere {}

    static class EndlessWait {
        @DistributedLock(waitTime = "9999999999999999d")
        public void run() {}
    }

    static final class FinalClass {
        @DistributedLock
        public void run() {}
    }

    static class ReturnsFuture {
        @DistributedLock
        public Future<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class ReturnsOwnFuture {
        @DistributedLock
        public OwnFuture run() {
            return new OwnFuture();
        }
    }

    static class SkipOnSingle {
        @DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
        public Single<String> run() {
            return Single.just("");
        }
    }

    static List<Arguments> mistakes() {
        return List.of(
                mistake(BadDuration.class, "waitTime", "'soon' is not a valid duration", "500ms, 2s"),
                mistake(BadPlaceholder.class, "leaseTime", "no.such.property", "Define the property"),
                mistake(BadNamePlaceholder.class, "name", "no.such.property", "Define the property"),
                mistake(LeaseTooShort.class, "leaseTime", "1ms is out of range", "Change the annotation"),
                mistake(LeaseTooShortToRenew.class, "leaseTime", "too short to renew", "Change the annotation"),
                mistake(HoldShorterThanLease.class, "maxHoldTime", "shorter than the lease time", "Change"),
                mistake(MinHoldLongerThanMaxHold.class, "maxHoldTime, minHoldTime", "3m is longer than", "Change"),
                mistake(NegativeWait.class, "waitTime", "-1s is out of range", "Change"),
                mistake(BadSyntax.class, "key", "\"#id +\" is not a SpEL expression", "Write SpEL"),
                mistake(
                        UnknownParameter.class,
                        "key",
                        "uses the unknown variable #order; known variables: #id, #p0, #a0",
                        "known variables"),
                mistake(BadCondition.class, "condition", "\"#id >\" is not a SpEL expression", "Write SpEL"),
                mistake(
                        UnknownParameterOfCondition.class,
                        "condition",
                        "uses the unknown variable #amount",
                        "known variables"),
                mistake(
                        UnknownProvider.class,
                        "provider",
                        "no lock provider 'etcdd'; known providers: in-memory",
                        "Name one"),
                mistake(BadName.class, "name", "control character", "Use a valid lock name"),
                mistake(SkipOnPrimitive.class, "onNotAcquired", "return type boolean", "may be empty"),
                mistake(FinalMethod.class, "method", "the method is final", "Make it not final"),
                mistake(FinalMethodOfLockedType.class, "method", "the method is final", "Make it not final"),
                mistake(PrivateMethod.class, "method", "the method is private", "Make it not private"),
                mistake(StaticMethod.class, "method", "the method is static", "Make it not static"),
                mistake(OutOfReach.class, "method", "the method is package-private", "Make it not package-private"),
                mistake(EndlessWait.class, "waitTime", "9999999999999999d", "Write it as"),
                mistake(FinalClass.class, "class", "the class is final", "Make it not final"),
                mistake(ReturnsFuture.class, "return type", "java.util.concurrent.Future", "Return CompletableFuture"),
                mistake(ReturnsOwnFuture.class, "return type", "a " + OwnFuture.class.getName(), "CompletionStage"),
                mistake(SkipOnSingle.class, "onNotAcquired", "rxjava3.core.Single", "may be empty"));
    }

    private static Arguments mistake(Class<?> bean, String attribute, String problem, String cure) {
        return Arguments.of(bean, attribute, problem, cure);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeEndsTheStartWithMethodAttributeReasonAndCure(
            Class<?> bean, String attribute, String problem, String cure) {
        runner.withBean(bean)
                .run(context -> assertProblem(problemOf(context.getStartupFailure()), bean, attribute, problem, cure));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeInALazyBeanIsFoundWithoutMakingTheBean(Class<?> bean, String attribute, String problem, String cure) {
        runner.withInitializer(LockTestContext.bean("lazy", bean, definition -> definition.setLazyInit(true)))
                .run(context -> assertProblem(problemOf(context.getStartupFailure()), bean, attribute, problem, cure));
    }

    private static InvalidLockedMethodsException.Problem problemOf(Throwable failure) {
        assertThat(failure).isInstanceOf(InvalidLockedMethodsException.class);
        List<InvalidLockedMethodsException.Problem> problems = ((InvalidLockedMethodsException) failure).problems();
        assertThat(problems).hasSize(1);
        return problems.get(0);
    }

    private static void assertProblem(
            InvalidLockedMethodsException.Problem found, Class<?> bean, String attribute, String problem, String cure) {
        assertThat(found.method())
                .isEqualTo(bean.getName() + ".run(" + (found.method().contains("long") ? "long" : "") + ")");
        assertThat(found.attribute()).contains(attribute);
        assertThat(found.problem()).contains(problem);
        assertThat(found.cure()).contains(cure);
    }
}
