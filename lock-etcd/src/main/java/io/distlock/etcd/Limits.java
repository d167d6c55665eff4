package io.distlock.etcd;

import java.time.Duration;
import java.util.Objects;

/** Bounds of times. */
final class Limits {

    private Limits() {}

    static void requireBetween(String what, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, () -> what + " must not be null");
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    what + " " + value + " is out of range: choose a value from " + least + " to " + most);
        }
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
