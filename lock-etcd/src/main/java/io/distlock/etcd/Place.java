package io.distlock.etcd;

import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;

/**
 * Where one acquisition stands, or is about to stand, in a lock's queue. The key is its own: nobody else ever uses it, and
 * the acquisition takes it only once.
 *
 * @param session what the key hangs on
 * @param epoch the session's, which the request that takes the place compares
 */
record Place(LeaseRequest request, EtcdKeys.Queue queue, ByteSequence key, Session session, long epoch) {

    /** How the place was found. */
    sealed interface Finding {}

    /**
     * It exists.
     *
     * @param createRevision the order of the queue, and the fencing token once the lock is held
     * @param leaseGone whether the one who was ahead before went with its lease, and not by giving its key back
     */
    record Standing(long createRevision, Ahead ahead, boolean leaseGone) implements Finding {}

    /** It was there, and is no more: it has ended with its session, or was deleted. */
    record Gone() implements Finding {}

    /** It was not taken, and never will be: a withdrawal has moved the session's epoch on, or the session is lost. */
    record Refused() implements Finding {}

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
