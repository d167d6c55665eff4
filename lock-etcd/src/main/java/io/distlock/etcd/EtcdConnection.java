package io.distlock.etcd;

import io.etcd.jetcd.Client;

/** A way to etcd. Thread-safe. */
public final class EtcdConnection implements AutoCloseable {

    private final Client client;
    private final Watches watches;

    private EtcdConnection(Client client, Watches watches) {
        this.client = client;
        this.watches = watches;
    }

    public static EtcdConnection of(Client client) {
        return new EtcdConnection(client, new JetcdWatches(client));
    }

    Client client() {
        return client;
    }

    Watches watches() {
        return watches;
    }

    @Override
    public void close() {
        watches.close();
    }
}
