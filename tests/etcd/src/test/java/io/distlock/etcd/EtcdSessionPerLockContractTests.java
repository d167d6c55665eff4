package io.distlock.etcd;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With a lease of etcd for each lock. */
class EtcdSessionPerLockContractTests extends LockProviderContract {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    static EtcdConnection connection;

    @BeforeAll
    static void open() {
        connection = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
    }

    @AfterAll
    static void close() {
        connection.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(
                runtime, connection, LocalEtcd.PATIENT.withSession(EtcdLockOptions.Session.PER_LOCK));
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofSeconds(1), Duration.ofMillis(2500));
    }
}
