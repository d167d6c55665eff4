package io.distlock.etcd;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdTroubleContractTests extends StoreTroubleContract {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    static FaultProxy proxy;
    static EtcdConnection connection;
    static EtcdConnection untroubled;

    @BeforeAll
    static void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        connection = LocalEtcd.connection(
                List.of(etcd.server().endpoint().withPort(proxy.port())), EtcdLockOptions.defaults());
        untroubled = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
    }

    @AfterAll
    static void close() {
        connection.close();
        untroubled.close();
        proxy.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, connection, EtcdLockOptions.defaults());
    }

    @Override
    protected LockProvider createUntroubledProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, untroubled, LocalEtcd.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofSeconds(1), Duration.ofMillis(2500));
    }

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {
            @Override
            public void freeze() {
                etcd.server().freeze();
            }

            @Override
            public void thaw() {
                etcd.server().thaw();
            }

            @Override
            public void cut() {
                proxy.cut();
            }

            @Override
            public void disconnect() {
                proxy.refuse();
                proxy.cut();
            }

            @Override
            public void reconnect() {
                proxy.accept();
            }
        };
    }
}
