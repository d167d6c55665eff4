package io.distlock.redis.redlock;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All nodes in trouble at once: what a majority that is lost looks like. */
class RedlockTroubleContractTests extends StoreTroubleContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    static final List<FaultProxy> proxies = new ArrayList<>();
    static RedlockConnections connections;
    static RedlockConnections untroubled;

    @BeforeAll
    static void open() {
        for (RedisServer node : nodes.all()) {
            proxies.add(FaultProxy.to(node.host(), node.port()));
        }
        connections = RedlockTestClient.connections(
                proxies.stream()
                        .map(proxy -> nodes.get(0).endpoint().withPort(proxy.port()))
                        .toList(),
                RedlockTestClient.UNGUARDED);
        untroubled = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        RedlockTestClient.of(nodes).close();
    }

    @AfterAll
    static void close() {
        connections.close();
        untroubled.close();
        proxies.forEach(FaultProxy::close);
        proxies.clear();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return RedlockTestClient.warmProvider(runtime, connections);
    }

    @Override
    protected LockProvider createColdProvider(LockRuntime runtime) {
        return new RedlockProvider(runtime, connections, RedlockTestClient.UNGUARDED);
    }

    @Override
    protected LockProvider createUntroubledProvider(LockRuntime runtime) {
        return RedlockTestClient.warmProvider(runtime, untroubled);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(false, Duration.ofMillis(1_600), Duration.ofMillis(500));
    }

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {
            @Override
            public void freeze() {
                nodes.all().forEach(RedisServer::freeze);
            }

            @Override
            public void thaw() {
                nodes.all().forEach(RedisServer::thaw);
            }

            @Override
            public void cut() {
                proxies.forEach(FaultProxy::cut);
            }

            @Override
            public void disconnect() {
                proxies.forEach(FaultProxy::refuse);
                proxies.forEach(FaultProxy::cut);
            }

            @Override
            public void reconnect() {
                proxies.forEach(FaultProxy::accept);
            }
        };
    }
}
