package io.distlock.zookeeper;

import io.distlock.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How locks are kept in ZooKeeper. Immutable; an invalid value is rejected with an {@link IllegalArgumentException} that names
 * the value, the rule and the fix.
 *
 * @param keyPrefix the path of the nodes above all locks, without a slash at either end: {@code lock}, {@code app/locks}
 * @param layout how nodes are named, which decides which of Curator's recipes see them
 * @param callTimeout the longest wait for the answer to one call. 10 ms to 60 s
 * @param connectTimeout how long the first calls of a process wait for its first session. 100 ms to 60 s
 * @param tickTime the servers' {@code tickTime}, or more. 10 ms to 60 s
 * @param longestSession the servers' {@code maxSessionTimeout}, which is 20 ticks unless they set it. 100 ms to 25 h
 */
public record ZooKeeperLockOptions(
        String keyPrefix,
        ZooKeeperLayout layout,
        Duration callTimeout,
        Duration connectTimeout,
        Duration tickTime,
        Duration longestSession) {

    private static final Pattern PREFIX = Pattern.compile("[\\w.~-]*\\w[\\w.~-]*(/[\\w.~-]*\\w[\\w.~-]*)*");
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int USUAL_TICKS = 20;

    public ZooKeeperLockOptions {
        Objects.requireNonNull(layout, "layout must not be null");
        if (!PREFIX.matcher(keyPrefix).matches() || (keyPrefix + "/").startsWith("zookeeper/")) {
            throw new IllegalArgumentException(
                    "key prefix \"" + keyPrefix + "\" is not a path of ZooKeeper: use words of"
                            + " letters, digits and ._~- with a slash between them, such as \"lock\" or \"app/locks\"");
        }
        LockOptions.requireBetween("call timeout", callTimeout, SHORTEST, LONGEST);
        LockOptions.requireBetween("connect timeout", connectTimeout, SHORT, LONGEST);
        LockOptions.requireBetween("tick time", tickTime, SHORTEST, LONGEST);
        LockOptions.requireBetween("longest session", longestSession, SHORT, Duration.ofHours(25));
    }

    /** Prefix {@code lock}, layout {@code MUTEX}, calls 2 s, first session 10 s, and the servers' own defaults. */
    public static ZooKeeperLockOptions defaults() {
        Duration tick = Duration.ofSeconds(2);
        return new ZooKeeperLockOptions(
                "lock",
                ZooKeeperLayout.MUTEX,
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                tick,
                tick.multipliedBy(USUAL_TICKS));
    }

    public ZooKeeperLockOptions withKeyPrefix(String keyPrefix) {
        return new ZooKeeperLockOptions(keyPrefix, layout, callTimeout, connectTimeout, tickTime, longestSession);
    }

    public ZooKeeperLockOptions withLayout(ZooKeeperLayout layout) {
        return new ZooKeeperLockOptions(keyPrefix, layout, callTimeout, connectTimeout, tickTime, longestSession);
    }

    public ZooKeeperLockOptions withCallTimeout(Duration callTimeout) {
        return new ZooKeeperLockOptions(keyPrefix, layout, callTimeout, connectTimeout, tickTime, longestSession);
    }

    public ZooKeeperLockOptions withConnectTimeout(Duration connectTimeout) {
        return new ZooKeeperLockOptions(keyPrefix, layout, callTimeout, connectTimeout, tickTime, longestSession);
    }

    /** With this tick, and the limit of sessions that servers with it have unless they set another. */
    public ZooKeeperLockOptions withTickTime(Duration tickTime) {
        LockOptions.requireBetween("tick time", tickTime, SHORTEST, LONGEST);
        return new ZooKeeperLockOptions(
                keyPrefix, layout, callTimeout, connectTimeout, tickTime, tickTime.multipliedBy(USUAL_TICKS));
    }

    public ZooKeeperLockOptions withLongestSession(Duration longestSession) {
        return new ZooKeeperLockOptions(keyPrefix, layout, callTimeout, connectTimeout, tickTime, longestSession);
    }

    /** How often a session that carries locks of this time to live is confirmed. */
    Duration betweenConfirmations(Duration timeToLive) {
        Duration tenth = timeToLive.dividedBy(10);
        // A confirmation counts from the one before it, and only if more than a tick lies between: see SessionValidity.
        Duration least = tickTime.plus(tickTime.dividedBy(2));
        return tenth.compareTo(least) < 0 ? least : tenth;
    }

    /**
     * How long a session must last without confirmation to carry locks of this time to live: that, 1 % for the clocks, and the two
     * intervals by which the last confirmation may be old.
     */
    Duration session(Duration timeToLive) {
        return timeToLive
                .plus(timeToLive.dividedBy(100))
                .plus(betweenConfirmations(timeToLive).multipliedBy(5).dividedBy(2));
    }
}
