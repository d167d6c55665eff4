package io.distlock.benchmarks.etcd;

import io.distlock.benchmarks.store.CommandCount;
import io.distlock.test.etcd.EtcdProbe;
import io.distlock.test.etcd.EtcdRpcs;

/** By the server's own metrics: messages from clients, of whatever kind, those within streams included. */
final class EtcdCommandCount implements CommandCount {

    private final EtcdProbe probe;
    private final EtcdRpcs before;

    EtcdCommandCount(EtcdProbe probe) {
        this.probe = probe;
        this.before = probe.rpcs();
    }

    @Override
    public int soFar() {
        return Math.toIntExact(probe.rpcs().since(before).total());
    }

    @Override
    public void close() {}
}
