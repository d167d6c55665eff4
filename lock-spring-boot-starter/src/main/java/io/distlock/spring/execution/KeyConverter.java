package io.distlock.spring.execution;

import io.distlock.LockKey;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.util.CollectionUtils;
import org.springframework.util.ObjectUtils;

/**
 * Converts values to lock key texts. Accepts only values whose text identifies them: equal values have the same
 * text in any process, and different values of a type never share one.
 *
 * <p>The text deliberately omits the type: item 42 is item 42, whether its id comes as a number from an entity
 * or as a string from a path; likewise for a UUID and its text. Items of different kinds need different names.
 */
public final class KeyConverter {

    private static final int LONGEST_PLAIN_NUMBER = 400;

    private KeyConverter() {}

    /**
     * The keys of a name: one for a scalar, one for each element of a collection or an array.
     *
     * @throws IllegalArgumentException if there is none, with the reason and the fix
     */
    public static List<LockKey> keys(String name, @Nullable Object value) {
        // Most keys: ruling out a Collection, an interface, would take longer than the rest.
        if (value instanceof String || value instanceof Number) {
            return List.of(LockKey.of(name, text(value)));
        } else if (value instanceof Collection<?> several) {
            return keys(name, several);
        } else if (value instanceof byte[] || value instanceof char[]) {
            throw new IllegalArgumentException("a " + value.getClass().getSimpleName()
                    + " cannot be a key: convert it to a string, for example in hexadecimal");
        } else if (ObjectUtils.isArray(value)) {
            return keys(name, CollectionUtils.arrayToList(value));
        }
        return List.of(LockKey.of(name, text(value)));
    }

    private static List<LockKey> keys(String name, Collection<?> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException(
                    "it evaluated to an empty collection: skip the call if there is nothing to lock");
        }
        List<LockKey> keys = new ArrayList<>(values.size());
        for (Object value : values) {
            try {
                keys.add(LockKey.of(name, text(value)));
            } catch (IllegalArgumentException refusal) {
                throw new IllegalArgumentException("element " + keys.size() + ": " + refusal.getMessage(), refusal);
            }
        }
        return keys;
    }

    /**
     * The text of a scalar, which is not necessarily valid in a key: it may be blank or too long.
     *
     * @throws IllegalArgumentException if there is none, with the reason and the fix
     */
    public static String text(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("it evaluated to null: make sure that there is a value");
        } else if (value instanceof String text) {
            return text;
        } else if (value instanceof Number number) {
            return number(number);
        } else if (value instanceof Enum<?> constant) {
            return constant.name();
        } else if (value instanceof Boolean || value instanceof Character || value instanceof UUID) {
            return value.toString();
        } else if (isTime(value) && isOf("java.time.", value)) {
            return value.toString();
        }
        throw new IllegalArgumentException(refusal(value));
    }

    private static boolean isTime(Object value) {
        return value instanceof TemporalAccessor || value instanceof TemporalAmount || value instanceof ZoneId;
    }

    /** Equal numbers share one text, whatever the type: 1, 1L and 1.00 are the same item, and so is "1". */
    private static String number(Number value) {
        if (value instanceof BigInteger || value instanceof Long || value instanceof Integer) {
            return value.toString();
        } else if (!isOf("java.", value)) {
            throw new IllegalArgumentException(refusal(value));
        }
        try {
            BigDecimal exact = new BigDecimal(value.toString()).stripTrailingZeros();
            return Math.abs((long) exact.scale()) <= LONGEST_PLAIN_NUMBER ? exact.toPlainString() : exact.toString();
        } catch (NumberFormatException notFinite) {
            throw new IllegalArgumentException(value + " is not a number that identifies an item", notFinite);
        }
    }

    private static String refusal(Object value) {
        String type = "a " + value.getClass().getName();
        if (value instanceof Optional<?>) {
            return type + " may be empty: give its value, with .get() or .orElseThrow()";
        } else if (value instanceof Collection<?> || value instanceof Map<?, ?> || ObjectUtils.isArray(value)) {
            return type + " is not a scalar: use a flat collection of strings or numbers, for example with .![id]";
        }
        return type + " has no text form that is the same in every process: use one of its properties, such as an"
                + " id. Supported types: String, Number, Boolean, Character, Enum, UUID and java.time values";
    }

    private static boolean isOf(String packagePrefix, Object value) {
        return value.getClass().getName().startsWith(packagePrefix);
    }
}
