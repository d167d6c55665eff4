package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Rivals.Rival;
import io.etcd.jetcd.ByteSequence;

/** The lock that comes with the driver: the server's own, by two RPCs. */
final class JetcdLockContestant implements Contestant {

    private final BareJetcd jetcd;

    JetcdLockContestant(BareJetcd jetcd) {
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

    /** One of several that want the lock that comes with the driver. */
    static final class JetcdLockRival implements Rival {

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
}
