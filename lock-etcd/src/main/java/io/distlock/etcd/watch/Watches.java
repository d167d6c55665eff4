package io.distlock.etcd.watch;

import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;

/** Notifies about deleted keys. */
public interface Watches extends AutoCloseable {

    /**
     * Watches one key from now on, not from a past revision, because etcd serves watches that have to catch up
     * only ten times a second.
     *
     * @param wake called when the key is deleted, and when the watch breaks; never blocks
     */
    WatchedKey watch(ByteSequence key, Runnable wake);

    @Override
    void close();

    /** One watched key, on any stream. Thread-safe. */
    final class WatchedKey {

        /** Watches nothing. */
        public static final WatchedKey NONE = new WatchedKey(ByteSequence.EMPTY, () -> {});

        final ByteSequence key;
        /** The server's number for it; -1 until confirmed. */
        volatile long number = -1;

        private final Runnable wake;
        private final CompletableFuture<Void> standing = new CompletableFuture<>();
        private volatile Runnable leave = () -> {};
        private volatile boolean over;

        WatchedKey(ByteSequence key, Runnable wake) {
            this.key = key;
            this.wake = wake;
        }

        /** Completes once no deletion can be missed; fails if the watch breaks before that. */
        public CompletableFuture<Void> standing() {
            return standing;
        }

        /**
         * Whether it can be relied on: it is active, has not broken, and was not ended. It does not report deletions
         * before that: a caller that has not waited for {@link #standing} must look once more.
         */
        public boolean isLive() {
            return standing.isDone() && !over;
        }

        /** Never fails, and may be called more than once. */
        public void close() {
            over = true;
            leave.run();
        }

        // --- for the stream that it is on ---

        /**
         * The server was asked for it.
         *
         * @param leave ends the watch at the server; may be called more than once
         */
        void on(Runnable leave) {
            this.leave = leave;
            if (over) {
                leave.run();
            }
        }

        void stands() {
            standing.complete(null);
        }

        void wake() {
            if (!over) {
                wake.run();
            }
        }

        void breakOff(Throwable failure) {
            if (!over) {
                over = true;
                // A failed standing() makes its caller pause; also waking it would end the pause.
                if (!standing.completeExceptionally(failure)) {
                    wake.run();
                }
            }
        }

        boolean isOver() {
            return over;
        }
    }
}
