package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members that are known by name, while names cannot be resolved any more. */
class EtcdHostNameTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final String HOST = "etcd.test";
    /** Extended every five seconds, and not lost because the machine stands still for once. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger inVain = new AtomicInteger();
    private volatile Dns dns = Dns.ANSWERS;
    private FaultProxy proxy;
    private TestClient client;

    private enum Dns {
        ANSWERS,
        FAILS,
        HANGS
    }

    private InetAddress[] lookUp(String host) throws UnknownHostException {
        assertThat(host).isEqualTo(HOST);
        Dns now = dns;
        if (now != Dns.ANSWERS) {
            inVain.incrementAndGet();
        }
        if (now == Dns.HANGS) {
            awaitEnd();
        }
        if (now != Dns.ANSWERS) {
            throw new UnknownHostException(host);
        }
        return new InetAddress[] {InetAddress.getByName(etcd.server().host())};
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        EtcdServers servers = EtcdServers.at(List.of(URI.create("http://" + HOST + ':' + proxy.port())));
        EtcdLockOptions options = EtcdLockOptions.defaults();
        client = TestClient.of(EtcdConnection.to(servers, options, builder -> {}, this::lookUp), options, LEASE);
    }

    @AfterEach
    void close() {
        end.countDown();
        client.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILS", "HANGS"})
    void aLostConnectionIsMadeAgainWithTheAddressesThatAreKnown(Dns fault) {
        try (HeldLock held = client.locks.acquire(client.locks.request("held").withWaitTime(TestClient.PATIENCE))) {
            dns = fault;
            proxy.cut();
            await().atMost(TestClient.PATIENCE).until(() -> inVain.get() > 0);
            client.locks
                    .acquire(client.locks.request("new").withWaitTime(TestClient.PATIENCE))
                    .close();
            long before = etcd.probe().rpcs().started("LeaseKeepAlive");
            await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().rpcs().started("LeaseKeepAlive") > before);
            assertThat(held.isHeld()).isTrue();
        }
    }
}
