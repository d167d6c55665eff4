package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Round trips that take longer than a client waits before it asks another member, too. */
class EtcdRoundTripTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final Duration ROUND_TRIP = Duration.ofMillis(300);

    private final List<FaultProxy> members = List.of(proxy(), proxy());
    private TestClient client;

    private static FaultProxy proxy() {
        return FaultProxy.to(etcd.server().host(), etcd.server().port());
    }

    @BeforeEach
    void open() {
        List<EtcdEndpoint> endpoints = members.stream()
                .map(proxy -> etcd.server().endpoint().withPort(proxy.port()))
                .toList();
        EtcdLockOptions options = LocalEtcd.PATIENT;
        client = TestClient.of(LocalEtcd.connection(endpoints, options), options, Duration.ofMinutes(2));
    }

    @AfterEach
    void close() {
        client.close();
        members.forEach(FaultProxy::close);
    }

    @Test
    void noWriteIsSentTwiceAndNothingIsLeftOfALockThatWasReleased() {
        client.locks.acquire(client.locks.request("first")).close();
        members.forEach(proxy -> proxy.delayReplies(ROUND_TRIP));
        var before = etcd.probe().rpcs();
        for (int lock = 0; lock < 5; lock++) {
            client.locks.acquire(client.locks.request("lock-" + lock)).close();
        }
        assertThat(etcd.probe().rpcs().since(before).started("Txn")).isEqualTo(10);
        // The session's own.
        assertThat(etcd.probe().keys("")).hasSizeLessThanOrEqualTo(1);
    }
}
