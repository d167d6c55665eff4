package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockKey;
import io.distlock.http.RequiredLocks.Requirement;
import io.distlock.spring.execution.KeyConverter;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequiredLocksTests {

    private final Requirement requirement = new RequiredLocks().of(method());

    private static Method method() {
        try {
            return Items.class.getMethod("change", Object.class);
        } catch (NoSuchMethodException missing) {
            throw new AssertionError(missing);
        }
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
        for (Object value : new Object[] {null, List.of(1), Optional.of(1), new Object(), Double.NaN}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> key(value))
                    .withMessageStartingWith("@RequireLock key \"#item\" on public void ");
        }
    }

    private LockKey key(Object value) {
        return requirement.key(new Items(), new Object[] {value});
    }

    static class Items {

        @RequireLock(name = "items", key = "#item")
        public void change(Object item) {}
    }
}
