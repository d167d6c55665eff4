package io.distlock.engine;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes owner values: 128 random bits for the client, and a counter for each acquisition. Never a thread, so that a
 * lock can be handed to another thread, and two calls on one thread are two owners. Thread-safe.
 */
final class Owners {

    private static final int RANDOM_BYTES = 16;
    private static final int RADIX = 36;

    private final String prefix;
    private final AtomicLong counter = new AtomicLong();

    Owners() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        this.prefix = HexFormat.of().formatHex(random) + '-';
    }

    String next() {
        return prefix + Long.toString(counter.incrementAndGet(), RADIX);
    }
}
