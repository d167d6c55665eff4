package io.distlock.etcd;

import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;

/**
 * Where one acquisition stands, or is about to stand, in a lock's queue. The key is its own: nobody else ever uses it.
 *
 * @param withdrawal the key that says that the place was given up
 * @param session what both keys hang on
 */
record Place(LeaseRequest request, EtcdKeys.Queue queue, ByteSequence key, ByteSequence withdrawal, Session session) {

    /** How the place was found. */
    sealed interface Finding {}

    /**
     * It exists.
     *
     * @param createRevision the order of the queue, and the fencing token once the lock is held
     * @param doubtful whether the request that made it may be carried out once more, at any time
     */
    record Standing(long createRevision, Ahead ahead, boolean doubtful) implements Finding {}

    /** It does not exist: it has expired with its session, or was deleted or given up. */
    record Gone() implements Finding {}

    /** Whom one has to wait for. */
    sealed interface Ahead {

        /** Nobody: the lock is held. */
        record Nobody() implements Ahead {}

        /** The one whose key has to go first. */
        record Predecessor(ByteSequence key) implements Ahead {}

        /** Not known yet. */
        record Unknown() implements Ahead {}
    }
}
