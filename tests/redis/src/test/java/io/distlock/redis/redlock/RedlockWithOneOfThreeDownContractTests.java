package io.distlock.redis.redlock;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node is not there. */
class RedlockWithOneOfThreeDownContractTests extends LockProviderContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    static RedlockConnections connections;

    @BeforeAll
    static void open() {
        connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        RedlockTestClient.of(nodes).close();
    }

    @AfterAll
    static void close() {
        connections.close();
    }

    @BeforeEach
    void impair() {
        nodes.get(1).kill();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return RedlockTestClient.warmProvider(runtime, connections);
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS.whenImpaired();
    }
}
