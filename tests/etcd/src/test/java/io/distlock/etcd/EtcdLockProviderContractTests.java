package io.distlock.etcd;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdLockProviderContractTests extends LockProviderContract {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    static final List<EtcdConnection> SEPARATE = new ArrayList<>();

    static EtcdConnection connection;

    @BeforeAll
    static void open() {
        connection = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
    }

    @AfterAll
    static void close() {
        connection.close();
        SEPARATE.forEach(EtcdConnection::close);
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
    }

    @Override
    protected LockProvider createSeparateProvider(LockRuntime runtime) {
        SEPARATE.add(LocalEtcd.connection(etcd.server().endpoint()));
        return new EtcdLockProvider(runtime, SEPARATE.get(SEPARATE.size() - 1), LocalEtcd.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofSeconds(1), Duration.ofMillis(2500)).withToldLosses();
    }
}
