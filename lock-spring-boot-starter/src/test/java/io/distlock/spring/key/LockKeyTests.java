package io.distlock.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.execution.KeyConverter;
import io.distlock.test.provider.FaultyLockProvider;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a key expression may say, and which values can be locked. */
class LockKeyTests {

    record Order(long id, String customer) {}

    static class Tenant {

        public String current() {
            return "acme";
        }
    }

    static class Keys {

        @DistributedLock(name = "any", key = "#value")
        public List<LockKey> any(Object value) {
            return held();
        }

        @DistributedLock(name = "position", key = "#p0 + '-' + #a1")
        public List<LockKey> byPosition(String first, int second) {
            return held();
        }

        @DistributedLock(name = "property", key = "#order.id")
        public List<LockKey> property(Order order) {
            return held();
        }

        @DistributedLock(name = "projection", key = "#orders.![customer]")
        public List<LockKey> projection(List<Order> orders) {
            return held();
        }

        @DistributedLock(
                name = "root",
                key = "#root.methodName + ' ' + #root.method.name + ' ' + #root.args[0] + ' ' + #root.target.suffix")
        public List<LockKey> root(int number) {
            return held();
        }

        @DistributedLock(name = "bean", key = "@tenant.current() + '/' + #id")
        public List<LockKey> bean(long id) {
            return held();
        }

        @DistributedLock(key = "#id")
        public List<LockKey> byDefault(long id) {
            return held();
        }

        @DistributedLock
        public List<LockKey> nameAlone() {
            return held();
        }

        @DistributedLock("${lock.name}-${lock.missing:x}")
        public List<LockKey> resolved() {
            return held();
        }

        public String getSuffix() {
            return "here";
        }

        private static List<LockKey> held() {
            return LockContext.current().keys();
        }
    }

    private static ApplicationContextRunner runner() {
        return LockTestContext.manual()
                .withPropertyValues("lock.name=resolved")
                .withBean(Keys.class)
                .withBean("tenant", Tenant.class);
    }

    private static void with(Consumer<Keys> test) {
        runner().run(context -> test.accept(context.getBean(Keys.class)));
    }

    static List<Arguments> scalars() {
        return List.of(
                arguments("text", "text"),
                arguments(" not stripped ", " not stripped "),
                arguments(42, "42"),
                arguments(42L, "42"),
                arguments((short) 42, "42"),
                arguments(new BigInteger("42"), "42"),
                arguments(new BigDecimal("42.00"), "42"),
                arguments(42.0, "42"),
                arguments(new AtomicLong(42), "42"),
                arguments(new BigDecimal("1E+2"), "100"),
                arguments(0.1f, "0.1"),
                arguments(-7, "-7"),
                arguments(true, "true"),
                arguments('c', "c"),
                arguments(DayOfWeek.MONDAY, "MONDAY"),
                arguments(
                        UUID.fromString("00000000-0000-0001-0000-000000000002"),
                        "00000000-0000-0001-0000-000000000002"),
                arguments(LocalDate.of(2026, 2, 3), "2026-02-03"),
                arguments(Instant.EPOCH, "1970-01-01T00:00:00Z"),
                arguments(Duration.ofMinutes(90), "PT1H30M"),
                arguments(Period.ofWeeks(1), "P7D"),
                arguments(ZoneId.of("Europe/Paris"), "Europe/Paris"));
    }

    @ParameterizedTest
    @MethodSource("scalars")
    void aScalarIsTheKeyByItsText(Object value, String key) {
        assertThat(KeyConverter.keys("any", value)).containsExactly(LockKey.of("any", key));
    }

    /** Its text may be translated, or the same for two constants. */
    enum Size {
        LARGE;

        @Override
        public String toString() {
            return "large size";
        }
    }

    @Test
    void aConstantIsTheKeyByItsNameAndNotByWhatItSays() {
        assertThat(KeyConverter.keys("any", Size.LARGE)).containsExactly(LockKey.of("any", "LARGE"));
    }

    static List<Arguments> several() {
        return List.of(
                arguments(List.of("b", "a", "b")),
                arguments(Set.of("a", "b")),
                arguments(Arrays.asList("a", "b")),
                arguments((Object) new String[] {"b", "a"}),
                arguments((Object) new Object[] {'a', "b"}));
    }

    @ParameterizedTest
    @MethodSource("several")
    void aCollectionOrAnArrayIsAllItsElementsInCanonicalOrder(Object value) {
        with(keys -> assertThat(keys.any(value)).containsExactly(LockKey.of("any", "a"), LockKey.of("any", "b")));
    }

    /** An id from a path and the same from an entity are one item. */
    @Test
    void theTypeIsNoPartOfTheKey() {
        UUID uuid = UUID.randomUUID();
        with(keys -> {
            assertThat(keys.any("42")).isEqualTo(keys.any(42L)).isEqualTo(keys.any(new BigDecimal("42.0")));
            assertThat(keys.any(uuid.toString())).isEqualTo(keys.any(uuid));
            assertThat(keys.any(List.of(1, "1", 1L))).containsExactly(LockKey.of("any", "1"));
        });
    }

    @Test
    void anArrayOfPrimitivesIsAllItsElements() {
        with(keys -> assertThat(keys.any(new long[] {7, 8})).hasSize(2));
    }

    @SuppressWarnings("JavaUtilDate") // just that is refused
    static List<Arguments> refused() {
        return List.of(
                arguments(null, "evaluated to null"),
                arguments("", "blank"),
                arguments("  ", "blank"),
                arguments(List.of(), "evaluated to an empty collection"),
                arguments(new int[0], "evaluated to an empty collection"),
                arguments(Arrays.asList("a", null), "element 1: it evaluated to null"),
                arguments(List.of("a", ""), "blank"),
                arguments(List.of("a", List.of("b")), "element 1: a java.util.ImmutableCollections"),
                arguments(Map.of("a", 1), "is not a scalar"),
                arguments(Optional.of("a"), "java.util.Optional may be empty"),
                arguments(new Date(0), "java.util.Date has no text form that is the same"),
                arguments(Clock.systemUTC(), "java.time.Clock$SystemClock has no text"),
                arguments(new Order(1, "c"), "Order has no text form that is the same"),
                arguments(Locale.ROOT, "java.util.Locale has no text"),
                arguments(new byte[] {1}, "byte[] cannot be a key"),
                arguments(Double.NaN, "NaN is not a number"),
                arguments(Float.POSITIVE_INFINITY, "Infinity is not a number"),
                arguments("line\nbreak", "control character"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatCannotBeLockedIsRefusedWithTheReasonAndNothingRuns(Object value, String reason) {
        runner().run(context -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.getBean(Keys.class).any(value))
                    .withMessageContaining("key \"#value\" of ")
                    .withMessageContaining("LockKeyTests$Keys.any(Object)")
                    .withMessageContaining(reason);
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isZero();
        });
    }

    @Test
    void anExpressionThatFailsSaysWhichMethodItBelongsTo() {
        with(keys -> assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.property(null))
                .withMessageContaining("key \"#order.id\" of ")
                .withMessageContaining("Keys.property(Order) cannot be evaluated"));
    }

    @Test
    void expressionsSeeArgumentsByNameAndPosition() {
        with(keys -> {
            assertThat(keys.byPosition("a", 2)).containsExactly(LockKey.of("position", "a-2"));
            assertThat(keys.property(new Order(7, "c"))).containsExactly(LockKey.of("property", "7"));
            assertThat(keys.projection(List.of(new Order(1, "y"), new Order(2, "x"))))
                    .containsExactly(LockKey.of("projection", "x"), LockKey.of("projection", "y"));
        });
    }

    @Test
    void expressionsSeeTheCallAndBeans() {
        with(keys -> {
            assertThat(keys.root(5)).containsExactly(LockKey.of("root", "root root 5 here"));
            assertThat(keys.bean(5)).containsExactly(LockKey.of("bean", "acme/5"));
        });
    }

    @Test
    void theNameIsTheMethodsUnlessGivenAndPlaceholdersInItAreResolved() {
        with(keys -> {
            assertThat(keys.byDefault(1)).containsExactly(LockKey.of("Keys.byDefault", "1"));
            assertThat(keys.nameAlone()).containsExactly(LockKey.of("Keys.nameAlone"));
            assertThat(keys.resolved()).containsExactly(LockKey.of("resolved-x"));
        });
    }
}
