package io.distlock.test.redis;

import java.util.Locale;

/** The kinds of clients that Redis tells apart. */
public enum ClientType {
    /** Sends commands. */
    NORMAL,
    /** Has subscribed to a channel. */
    PUBSUB,
    /** Follows this server. */
    REPLICA,
    /** Is followed by this server. */
    MASTER;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
