package io.distlock.etcd.cluster;

import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.LocalEtcd;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.etcd.EtcdClusterExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdClusterContractTests extends LockProviderContract {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    static EtcdConnection connection;

    @BeforeAll
    static void open() {
        connection = LocalEtcd.connection(etcd.cluster().endpoints(), LocalEtcd.PATIENT);
        LocalEtcd.warmUp(connection);
    }

    @AfterAll
    static void close() {
        connection.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofSeconds(1), Duration.ofMillis(2500)).withToldLosses();
    }
}
