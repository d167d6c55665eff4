package io.distlock.etcd;

import io.distlock.HeldLock;
import io.distlock.Sequencer;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import java.util.Optional;

/**
 * Makes a transaction of the application depend on its locks: etcd changes the data only if it still has the locks of these
 * grants.
 *
 * <pre>{@code
 * kv.txn().If(fence.held(lock)).Then(Op.put(key, value, PutOption.DEFAULT)).commit()
 * }</pre>
 *
 * <p>Unlike other fences, this one needs no newest token. Locks and data are in one store, so a stale holder is refused from
 * the moment its lock is gone, even if no other client has it. But it only works for data in the same etcd cluster, written
 * with a client of the same namespace: with any other, every transaction is refused.
 *
 * <p>A transaction that was refused does not fail: see {@link io.etcd.jetcd.kv.TxnResponse#isSucceeded()}. Thread-safe.
 */
public final class EtcdFence {

    private final EtcdLockProvider provider;

    public EtcdFence(EtcdLockProvider provider) {
        this.provider = provider;
    }

    /**
     * The conditions under which the lock is held, one for each of its keys. Makes no call to etcd. A shared lock is held as long
     * as its own entry exists, so several readers may write one after the other.
     *
     * @throws io.distlock.LockLostException if the lock was lost
     * @throws IllegalStateException if it was released
     * @throws IllegalArgumentException if it, or a part of it, is not a lock of this provider
     */
    public Cmp[] held(HeldLock lock) {
        lock.ensureHeld();
        return lock.sequencers().stream().map(grant -> held(lock, grant)).toArray(Cmp[]::new);
    }

    private Cmp held(HeldLock lock, Sequencer grant) {
        Optional<ByteSequence> place = provider.place(grant);
        if (place.isEmpty()) {
            // It may have ended meanwhile.
            lock.ensureHeld();
            throw new IllegalArgumentException("lock '" + grant.key() + "' (token " + grant.token()
                    + ") is not held through this etcd provider: an etcd transaction can only depend on locks in the same"
                    + " etcd");
        }
        // Not the create revision: an entry that is kept for a minimum hold time after the release has the same.
        return new Cmp(
                place.get(), Cmp.Op.EQUAL, CmpTarget.modRevision(grant.token().value()));
    }
}
