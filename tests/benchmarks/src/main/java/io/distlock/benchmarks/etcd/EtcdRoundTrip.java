package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.store.RoundTrip;
import io.etcd.jetcd.ByteSequence;

/** A read of a key that is not there, by the bare driver. */
final class EtcdRoundTrip implements RoundTrip {

    private static final ByteSequence NO_KEY = bytes("nothing");

    private final BareJetcd jetcd;

    EtcdRoundTrip(BareJetcd jetcd) {
        this.jetcd = jetcd;
    }

    @Override
    public void ask() {
        await(jetcd.kv().get(NO_KEY));
    }

    @Override
    public void close() {
        jetcd.close();
    }
}
