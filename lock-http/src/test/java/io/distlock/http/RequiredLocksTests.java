package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.http.RequiredLocks.Requirement;
import io.distlock.spring.execution.KeyConverter;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

class RequiredLocksTests {

    private final Requirement requirement = new RequiredLocks().of(method("change"));

    private static Method method(String name) {
        return Arrays.stream(Items.class.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Or the receiver would require another lock than its sender can take. */
    @Test
    void theKeyOfAValueIsThatOfTheSender() {
        for (Object value : List.of(
                "42",
                42,
                42L,
                (short) 42,
                new BigDecimal("42.00"),
                0.5,
                true,
                'x',
                UUID.randomUUID(),
                TimeUnit.DAYS,
                LocalDate.of(2026, 11, 22))) {
            assertThat(List.of(key(value))).isEqualTo(KeyConverter.keys("items", value));
        }
        assertThat(key(42)).isEqualTo(key("42"));
    }

    @Test
    void aValueThatIsNoKeyIsRefusedWithTheMethod() {
        for (Object value : new Object[] {List.of(1), Optional.of(1), new Object()}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> key(value))
                    .withMessageStartingWith("@RequireLock key \"#item\" on public void ");
        }
    }

    /** They come from the request, and from no lock. */
    @Test
    void aValueThatIsMissingIsAMistakeOfTheRequest() {
        for (Object value : new Object[] {null, Double.NaN, Float.POSITIVE_INFINITY, ""}) {
            assertBadRequest(() -> key(value));
        }
        Requirement nested = new RequiredLocks().of(method("order"));
        for (Order order : new Order[] {null, new Order(null), new Order(new Item(null))}) {
            assertBadRequest(() -> nested.key(new Items(), new Object[] {order}));
        }
        assertThat(nested.key(new Items(), new Object[] {new Order(new Item("42"))}))
                .isEqualTo(LockKey.of("items", "42"));
    }

    private static void assertBadRequest(ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(call)
                .satisfies(
                        refused -> assertThat(refused.getStatusCode().value()).isEqualTo(400));
    }

    private LockKey key(Object value) {
        return requirement.key(new Items(), new Object[] {value});
    }

    static class Items {

        @RequireLock(name = "items", key = "#item")
        public void change(Object item) {}

        @RequireLock(name = "items", key = "#order.item.id().strip()")
        public void order(Order order) {}
    }

    public record Order(Item item) {}

    public record Item(String id) {}
}
