package io.distlock.benchmarks.measure;

import java.time.Duration;

/** How much to measure. */
public enum RunSize {

    /** For figures to be published. */
    FULL,

    /** For a look in between: the same with fewer rounds, and ten seconds where the full version takes sixty. */
    QUICK,

    /** For one of five runs, whose spread takes the place of many rounds. */
    SHORT,

    /** For a test that it works at all: says nothing about times. */
    TINY;

    /** One of these three. */
    public int of(int full, int quick, int tiny) {
        return switch (this) {
            case FULL -> full;
            case QUICK -> quick;
            case SHORT -> Math.max(tiny, quick / 3);
            case TINY -> tiny;
        };
    }

    Duration millis(int full, int quick, int tiny) {
        return Duration.ofMillis(of(full, quick, tiny));
    }
}
