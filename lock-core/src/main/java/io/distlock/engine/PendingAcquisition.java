package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lock on its way, of one key or of several. Empty if another has one of them. */
abstract class PendingAcquisition<T extends HeldLock> extends CompletableFuture<Optional<T>> {

    /** The key that is being asked for or, once this is over, the one that decided how it ended. */
    abstract LockKey key();
}
