package io.distlock.etcd;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.etcd.EtcdExtension;
import io.etcd.jetcd.Client;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On a client as an application makes it, with a stream for each watch. */
class EtcdApplicationClientContractTests extends LockProviderContract {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    static Client client;
    static EtcdConnection connection;

    @BeforeAll
    static void open() {
        client = Client.builder().endpoints(etcd.server().uri()).build();
        connection = EtcdConnection.of(client);
        LocalEtcd.warmUp(connection);
    }

    @AfterAll
    static void close() {
        connection.close();
        client.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofSeconds(1), Duration.ofMillis(2500));
    }
}
