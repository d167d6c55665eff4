package io.distlock.jdbc;

import io.distlock.support.TryLockStore;
import java.util.concurrent.CompletionStage;

/** Tells those who wait for a key that it may be free. Thread-safe. */
interface KeyChanges extends AutoCloseable {

    /** As {@link TryLockStore#subscribe}, for a row. */
    CompletionStage<TryLockStore.Subscription> subscribe(String row, Runnable wake);

    @Override
    void close();
}
