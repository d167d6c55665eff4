package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.store.Contender;
import io.etcd.jetcd.ByteSequence;

/** The lock that comes with the driver: the server's own, by two RPCs. */
final class JetcdLockContender implements Contender {

    private final BareJetcd jetcd;

    JetcdLockContender(BareJetcd jetcd) {
        this.jetcd = jetcd;
    }

    @Override
    public String name() {
        return "jetcd Lock";
    }

    @Override
    public void cycle(int item) {
        ByteSequence held =
                await(jetcd.locks().lock(bytes("peer:" + item), jetcd.lease())).getKey();
        await(jetcd.locks().unlock(held));
    }

    @Override
    public void close() {
        jetcd.close();
    }
}
