package io.distlock.redis.redlock;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.AfterAll;

/** The contract on several nodes, over connections that all tests of a class share. */
abstract class RedlockContract extends LockProviderContract {

    private static RedlockConnections connections;

    static void open(RedisServersExtension nodes) {
        connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        RedlockTestClient.of(nodes).close();
    }

    @AfterAll
    static void close() {
        connections.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return RedlockTestClient.warmProvider(runtime, connections);
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS;
    }
}
