package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.store.Rival;
import io.etcd.jetcd.ByteSequence;

/** One of several that want the lock that comes with the driver. */
final class JetcdLockRival implements Rival {

    private static final ByteSequence NAME = bytes("rivals");

    private final BareJetcd jetcd;

    JetcdLockRival(BareJetcd jetcd) {
        this.jetcd = jetcd;
    }

    @Override
    public Runnable take() {
        ByteSequence held = await(jetcd.locks().lock(NAME, jetcd.lease())).getKey();
        return () -> await(jetcd.locks().unlock(held));
    }

    @Override
    public void close() {
        jetcd.close();
    }
}
