package io.distlock.spi;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import java.time.Duration;

/**
 * One acquisition of one key, as a provider sees it.
 *
 * @param key what to lock
 * @param mode how
 * @param owner who asks: unique to this acquisition, never reused; asking again as the same owner is answered
 *     with the same grant. Visible ASCII without {@code :} and {@code /}
 * @param options lease time, lock-delay and minimum hold time; the wait time has become the deadline
 * @param deadline until when to wait
 * @param listener is notified of the store's replies while the acquisition goes on
 */
public record LeaseRequest(
        LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline, Listener listener) {

    /** A request that nobody waits behind. */
    public LeaseRequest(LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline) {
        this(key, mode, owner, options, deadline, Listener.NONE);
    }

    /** As {@link LockOptions#timeToLive()}. */
    public Duration timeToLive() {
        return options.timeToLive();
    }

    /** For how long from then a renewal keeps the key; never shortens what it has. */
    public Duration renewedTimeToLive() {
        return options.leaseTime().plus(options.lockDelay());
    }

    /**
     * The store's replies while an acquisition goes on, for the calls of this process that queue behind it: they do not
     * ask the store themselves, and must not report "held by another" when the store is silent.
     *
     * <p>Called on any thread, any number of times; returns at once and throws nothing.
     */
    public interface Listener {

        /** For an acquisition that nobody queues behind. */
        Listener NONE = new Listener() {
            @Override
            public void refused() {}

            @Override
            public void failed(Throwable cause) {}
        };

        /** Another holds the key or comes first. */
        void refused();

        /** No answer, an error, or a key that is free but may not be granted yet. The acquisition goes on. */
        void failed(Throwable cause);
    }
}
