package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;

/** Tells of keys that go. */
interface Watches extends AutoCloseable {

    /**
     * Begins to watch one key, from now on: not from a revision in the past, because etcd serves those who have to catch
     * up only ten times a second.
     *
     * @param wake called when the key is deleted, and when the watch has broken; never blocks
     */
    Watched watch(ByteSequence key, Runnable wake);

    /** Gives up all watches. */
    @Override
    void close();

    /** One key that is watched. */
    interface Watched {

        /** Ends once nothing can be missed any more; fails if the watch breaks before. */
        CompletableFuture<Void> standing();

        /**
         * Whether it is to be relied on: it stands, has not broken, and was not ended. Of what went before it stood, nobody
         * is told: whoever has not waited for {@link #standing} has to look once more.
         */
        boolean isLive();

        /** Ends the watch; never fails, and may be called more than once. */
        void close();
    }
}
