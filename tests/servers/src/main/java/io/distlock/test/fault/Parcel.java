package io.distlock.test.fault;

import java.nio.ByteBuffer;

/**
 * Something on its way.
 *
 * @param kind bytes, or one of the ways in which they end
 * @param bytes what to deliver; none for an end
 * @param dueNanos the {@link System#nanoTime()} before which it must not arrive
 */
record Parcel(Kind kind, ByteBuffer bytes, long dueNanos) {

    enum Kind {
        BYTES,
        /** The sender has closed its side. */
        END,
        /** The sender's connection broke. */
        BREAK
    }
}
