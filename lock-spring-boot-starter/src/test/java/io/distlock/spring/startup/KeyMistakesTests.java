package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** What start-up finds in keys, conditions and names, and what it leaves alone. */
class KeyMistakesTests {

    private final ApplicationContextRunner runner = LockTestContext.manual().withPropertyValues("shop.name=orders");

    static class NoHash {
        @DistributedLock(name = "n", key = "orderId")
        public void run(long orderId) {}
    }

    static class NoHashAndNoSuchParameter {
        @DistributedLock(name = "n", key = "order.id")
        public void run(long orderId) {}
    }

    static class NoHashInsideAnExpression {
        @DistributedLock(name = "n", key = "#shop + '/' + T(String).valueOf(orderId)")
        public void run(String shop, long orderId) {}
    }

    static class NoHashInACondition {
        @DistributedLock(name = "n", condition = "amount > 1")
        public void run(long amount) {}
    }

    static class NoHashInAnArgumentInsideAProjection {
        @DistributedLock(name = "n", key = "#ids.contains(orderId)")
        public void run(List<Long> ids, long orderId) {}
    }

    static class WordWithoutQuotes {
        @DistributedLock(name = "n", key = "nightly")
        public void run() {}
    }

    static class MethodOfNobody {
        @DistributedLock(name = "n", key = "tenant() + #id")
        public void run(long id) {}
    }

    static class NoSuchBean {
        @DistributedLock(name = "n", key = "@tennant.current() + #id")
        public void run(long id) {}
    }

    static class FunctionOfNobody {
        @DistributedLock(name = "n", key = "#id()")
        public void run(long id) {}
    }

    static class ArgumentOfRoot {
        @DistributedLock(name = "n", key = "#root.id")
        public void run(long id) {}
    }

    static class HashBeforeName {
        @DistributedLock(name = "#orders")
        public void run(long id) {}
    }

    static class ExpressionAsName {
        @DistributedLock(name = "#id")
        public void run(long id) {}
    }

    static class TemplateAsName {
        @DistributedLock("orders-#{#id}")
        public void run(long id) {}
    }

    static class ParameterInsideName {
        @DistributedLock("orders-#id")
        public void run(long id) {}
    }

    static class NoUnit {
        @DistributedLock(waitTime = "2")
        public void run() {}
    }

    static class NoUnitInProperty {
        @DistributedLock(leaseTime = "${job.lease:30}")
        public void run() {}
    }

    static List<Arguments> mistakes() {
        return List.of(
                mistake(NoHash.class, "key", "did you mean #orderId?", "Write #orderId"),
                mistake(
                        NoHashAndNoSuchParameter.class,
                        "key",
                        "\"order\" is not a property of the call",
                        "#orderId, #p0"),
                mistake(NoHashInsideAnExpression.class, "key", "did you mean #orderId?", "Write #orderId"),
                mistake(NoHashInACondition.class, "condition", "did you mean #amount?", "Write #amount"),
                mistake(NoHashInAnArgumentInsideAProjection.class, "key", "did you mean #orderId?", "Write #orderId"),
                mistake(WordWithoutQuotes.class, "key", "\"nightly\" is not a property", "a text in single quotes"),
                mistake(
                        MethodOfNobody.class,
                        "key",
                        "\"tenant()\" is not a method of the call",
                        "#root.target.tenant()"),
                mistake(NoSuchBean.class, "key", "there is no bean 'tennant'", "Correct the bean's name"),
                mistake(FunctionOfNobody.class, "key", "\"#id()\" calls a function", "without parentheses"),
                mistake(ArgumentOfRoot.class, "key", "did you mean #id?", "Write #id"),
                mistake(HashBeforeName.class, "name", "\"#orders\" is an expression", "key = \"#id\""),
                mistake(ExpressionAsName.class, "name", "\"#id\" is an expression", "key = \"#id\""),
                mistake(
                        TemplateAsName.class,
                        "name",
                        "\"orders-#{#id}\" is an expression",
                        "put the part that varies into the key"),
                mistake(ParameterInsideName.class, "name", "\"orders-#id\" is an expression", "key = \"#id\""),
                mistake(NoUnit.class, "waitTime", "2 has no unit", "500ms, 2s"),
                mistake(NoUnitInProperty.class, "leaseTime", "30 has no unit", "500ms, 2s"));
    }

    private static Arguments mistake(Class<?> bean, String attribute, String problem, String cure) {
        return Arguments.of(bean, attribute, problem, cure);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isRefusedWithWhatWasProbablyMeant(Class<?> bean, String attribute, String problem, String cure) {
        runner.withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                failure -> assertThat(failure.problems())
                                        .singleElement()
                                        .satisfies(found -> {
                                            assertThat(found.attribute()).isEqualTo(attribute);
                                            assertThat(found.problem()).contains(problem);
                                            assertThat(found.cure()).contains(cure);
                                        })));
    }

    record Order(long id, String customer) {}

    static class Tenant {

        public String current() {
            return "acme";
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "${shop.name}", key = "#id", waitTime = "${job.wait:0}")
    @interface OrderLock {

        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String of() default "${shop.name}";
    }

    /** Each of them is right. */
    static class Right {

        @DistributedLock(name = "n", key = "methodName + '/' + args[0] + '/' + targetClass.simpleName + method().name")
        public List<LockKey> ofTheCall(long id) {
            return held();
        }

        @DistributedLock(name = "n", key = "target.suffix + #root.target.suffix")
        public List<LockKey> ofTheBean() {
            return held();
        }

        @DistributedLock(name = "n", key = "#orders.![customer + '-' + #this.id].?[length() > 2]")
        public List<LockKey> projectionAndSelection(List<Order> orders) {
            return held();
        }

        @DistributedLock(name = "n", key = "#map[orderId] + {orderId: #map}[orderId][orderId]")
        public List<LockKey> keysOfMaps(Map<String, String> map) {
            return held();
        }

        @DistributedLock(name = "n", key = "T(java.lang.Math).abs(#id) + new java.math.BigDecimal('1').intValue()")
        public List<LockKey> typesAndConstructors(int id) {
            return held();
        }

        @DistributedLock(name = "n", key = "#id?.toString() ?: 'none'", condition = "true and #id != null")
        public List<LockKey> safeNavigation(Long id) {
            return held();
        }

        @DistributedLock(name = "n", key = "@tenant.current() + @'tenant.2'.current()")
        public List<LockKey> beans() {
            return held();
        }

        @DistributedLock(name = "n", key = "@environment.getProperty('shop.name') + @systemProperties['no.such'] + #p1")
        public List<LockKey> springsOwnBeans(String p1, long p0) {
            return held();
        }

        @DistributedLock(name = "n", key = "{#a, #root.args[1], args.![toString()].^[length() > 0]}")
        public List<LockKey> several(long a, long b) {
            return held();
        }

        @DistributedLock(name = "n", key = "#a matches '[0-9]+' ? T(java.time.DayOfWeek).MONDAY : null")
        public List<LockKey> choice(String a) {
            return held();
        }

        @DistributedLock(name = "C# builds #7")
        public List<LockKey> hashInName(long id) {
            return held();
        }

        @OrderLock
        public List<LockKey> metaAnnotation(long id) {
            return held();
        }

        @DistributedLock(name = "n", waitTime = "0", lockDelay = " 2s ")
        public List<LockKey> zeroNeedsNoUnit() {
            return held();
        }

        public String getSuffix() {
            return "here";
        }

        private static List<LockKey> held() {
            return LockContext.current().keys();
        }
    }

    @Test
    void whatIsRightIsNotRefusedAndIsEvaluated() {
        runner.withBean(Right.class)
                .withBean("tenant", Tenant.class)
                .withBean("tenant.2", Tenant.class)
                .run(context -> {
                    Right right = context.getBean(Right.class);
                    assertThat(right.ofTheCall(7)).containsExactly(LockKey.of("n", "ofTheCall/7/RightofTheCall"));
                    assertThat(right.ofTheBean()).containsExactly(LockKey.of("n", "herehere"));
                    assertThat(right.projectionAndSelection(List.of(new Order(1, "y"))))
                            .containsExactly(LockKey.of("n", "y-1"));
                    assertThat(right.keysOfMaps(Map.of("orderId", "a"))).containsExactly(LockKey.of("n", "aa"));
                    assertThat(right.typesAndConstructors(-3)).containsExactly(LockKey.of("n", "4"));
                    assertThat(right.safeNavigation(3L)).containsExactly(LockKey.of("n", "3"));
                    assertThat(right.beans()).containsExactly(LockKey.of("n", "acmeacme"));
                    assertThat(right.springsOwnBeans("a", 1)).containsExactly(LockKey.of("n", "ordersnulla"));
                    assertThat(right.several(1, 2)).containsExactly(LockKey.of("n", "1"), LockKey.of("n", "2"));
                    assertThat(right.choice("7")).containsExactly(LockKey.of("n", "MONDAY"));
                    assertThat(right.hashInName(1)).containsExactly(LockKey.of("C# builds #7"));
                    assertThat(right.metaAnnotation(1)).containsExactly(LockKey.of("orders", "1"));
                    assertThat(right.zeroNeedsNoUnit()).containsExactly(LockKey.of("n"));
                });
    }
}
