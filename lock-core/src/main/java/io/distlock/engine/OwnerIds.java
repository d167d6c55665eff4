package io.distlock.engine;

import io.distlock.spi.Ticker;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * Makes owner values: the instance, for diagnostics at the store, and 128 random bits, as in
 * {@code orders@web-1.4711~be1233a170d37d5f976442afa6e4762e}. Each acquisition draws its bits from the kernel, since a
 * process's memory, including a generator's seed, is the same in all copies of a snapshot. An owner is not a thread: a
 * lock can be passed to another thread, and two calls on one thread are two owners. Thread-safe.
 */
final class OwnerIds {

    private static final int MOST_VISIBLE = 100;

    private final String prefix;
    private final Ticker ticker;
    private final SecureRandom random;

    OwnerIds(String instance, Ticker ticker, SecureRandom random) {
        this.prefix = instance.isEmpty() ? "" : visible(instance) + '~';
        this.ticker = ticker;
        this.random = random;
    }

    /** Not the JVM's default, which may be a generator that is seeded only once. */
    static SecureRandom kernel() {
        for (String algorithm : List.of("NativePRNGNonBlocking", "Windows-PRNG")) {
            try {
                return SecureRandom.getInstance(algorithm);
            } catch (NoSuchAlgorithmException otherSystem) {
                // The next one, or the default.
            }
        }
        return new SecureRandom();
    }

    /** Stores accept visible ASCII, and split keys and values at colons and slashes. */
    private static String visible(String instance) {
        String visible = instance.replaceAll("[^A-Za-z0-9._@-]", "_");
        return visible.length() > MOST_VISIBLE ? visible.substring(0, MOST_VISIBLE) : visible;
    }

    String next() {
        byte[] bits = new byte[16];
        random.nextBytes(bits);
        // The JDK buffers kernel bytes for up to 100 ms; the clock makes copies of a snapshot from that time differ.
        ByteBuffer buffer = ByteBuffer.wrap(bits);
        buffer.putLong(0, buffer.getLong(0) ^ ticker.nanos());
        return prefix + HexFormat.of().formatHex(bits);
    }
}
