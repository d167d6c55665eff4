package io.distlock.benchmarks.etcd;

import io.distlock.benchmarks.store.Application;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.EtcdServers;
import java.net.URI;
import java.util.List;

/** Applications on an etcd, as Boot would wire them. */
final class EtcdApplication {

    private EtcdApplication() {}

    static Application at(URI endpoint, Runnable afterwards) {
        EtcdLockOptions options = EtcdLockOptions.defaults();
        EtcdConnection connection = EtcdConnection.to(EtcdServers.at(List.of(endpoint)), options);
        return Application.start(runtime -> new EtcdLockProvider(runtime, connection, options), () -> {
            connection.close();
            afterwards.run();
        });
    }

    static Application at(URI endpoint) {
        return at(endpoint, () -> {});
    }
}
