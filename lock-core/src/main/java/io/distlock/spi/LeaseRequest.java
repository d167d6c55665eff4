package io.distlock.spi;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import java.time.Duration;

/**
 * One acquisition of one key, as a provider sees it.
 *
 * @param key what to lock
 * @param mode how; a provider without shared mode fails such a request with {@link UnsupportedOperationException}
 * @param owner unique to this acquisition, never reused; a repeated request by one owner gets the same grant. Visible
 *     ASCII without {@code :} or {@code /}
 * @param options lease time, lock-delay and minimum hold time; the deadline replaces the wait time
 * @param deadline when to give up
 * @param listener receives the store's replies during the acquisition
 */
public record LeaseRequest(
        LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline, Listener listener) {

    /** A request without a listener. */
    public LeaseRequest(LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline) {
        this(key, mode, owner, options, deadline, Listener.NONE);
    }

    /** As {@link LockOptions#timeToLive()}. */
    public Duration timeToLive() {
        return options.timeToLive();
    }

    /** How long a renewal keeps the key from then on; it never shortens the key's remaining time. */
    public Duration renewedTimeToLive() {
        return options.leaseTime().plus(options.lockDelay());
    }

    /**
     * Receives the store's replies for this process's calls queued behind an acquisition: they do not ask the
     * store themselves, and must not report "held by another" if it does not answer. Called on any thread, any number of times;
     * returns at once and never throws.
     */
    public interface Listener {

        /** Ignores them. */
        Listener NONE = new Listener() {};

        /** Another owner holds the key or precedes this request. */
        default void refused() {}

        /** No answer, an error, or a key that is free but may not be granted yet. The acquisition goes on. */
        default void failed(Throwable cause) {}
    }
}
