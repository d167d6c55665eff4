package io.distlock.etcd.cluster;

import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.LocalEtcd;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster that does not answer is one without a majority: two members of three are frozen. */
class EtcdClusterTroubleContractTests extends StoreTroubleContract {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    static final List<FaultProxy> proxies = new ArrayList<>();
    static EtcdConnection connection;
    static EtcdConnection untroubled;

    @BeforeAll
    static void open() {
        List<EtcdEndpoint> endpoints = etcd.cluster().endpoints().stream()
                .map(EtcdClusterTroubleContractTests::proxied)
                .toList();
        connection = LocalEtcd.connection(endpoints, EtcdLockOptions.defaults());
        untroubled = LocalEtcd.connection(etcd.cluster().endpoints(), LocalEtcd.PATIENT);
        LocalEtcd.warmUp(connection);
    }

    private static EtcdEndpoint proxied(EtcdEndpoint endpoint) {
        FaultProxy proxy = FaultProxy.to(endpoint.host(), endpoint.port());
        proxies.add(proxy);
        return endpoint.withPort(proxy.port());
    }

    @AfterAll
    static void close() {
        connection.close();
        untroubled.close();
        proxies.forEach(FaultProxy::close);
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new EtcdLockProvider(runtime, connection, EtcdLockOptions.defaults());
    }

    /** Once it is connected, members that have thawed may still be about to elect a leader. */
    @Override
    protected LockProvider createColdProvider(LockRuntime runtime) {
        return new EtcdLockProvider(
                runtime, untroubled, EtcdLockOptions.defaults().withCallTimeout(Duration.ofSeconds(5)));
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
                etcd.cluster().member(0).freeze();
                etcd.cluster().member(1).freeze();
            }

            @Override
            public void thaw() {
                etcd.cluster().members().stream()
                        .filter(member -> !member.isAwake())
                        .forEach(EtcdServer::thaw);
                etcd.cluster().members().forEach(EtcdServer::awaitHealthy);
            }

            @Override
            public void cut() {
                proxies.forEach(FaultProxy::cut);
            }

            @Override
            public void disconnect() {
                proxies.forEach(FaultProxy::refuse);
                cut();
            }

            @Override
            public void reconnect() {
                proxies.forEach(FaultProxy::accept);
            }
        };
    }
}
