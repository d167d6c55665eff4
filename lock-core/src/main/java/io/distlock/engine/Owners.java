package io.distlock.engine;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes owner values: who this is, for people who look into the store; 128 random bits for the client; and a counter for
 * each acquisition, as in {@code orders@web-1.4711~be1233a170d37d5f976442afa6e4762e-1m}. Never a thread, so that a lock can
 * be handed to another thread, and two calls on one thread are two owners. Thread-safe.
 */
final class Owners {

    private static final int RANDOM_BYTES = 16;
    private static final int RADIX = 36;
    private static final int MOST_VISIBLE = 100;
    private static final char END_OF_INSTANCE = '~';

    private final String prefix;
    private final AtomicLong counter = new AtomicLong();

    /**
     * @param instance may be empty
     */
    Owners(String instance) {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String visible = instance.isEmpty() ? "" : visible(instance) + END_OF_INSTANCE;
        this.prefix = visible + HexFormat.of().formatHex(random) + '-';
    }

    /** Stores take visible ASCII, and divide their keys and values at the colon and the slash. */
    private static String visible(String instance) {
        String visible = instance.replaceAll("[^A-Za-z0-9._@-]", "_");
        return visible.length() > MOST_VISIBLE ? visible.substring(0, MOST_VISIBLE) : visible;
    }

    String next() {
        return prefix + Long.toString(counter.incrementAndGet(), RADIX);
    }
}
