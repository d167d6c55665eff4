package io.distlock.redis.redlock.contract;

import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;

/**
 * The contract on several nodes, over connections that all tests of a class share. Three nodes and five pass it while all
 * answer, and while as many as can be done without do not: one of three is down, two of five are frozen.
 */
public abstract class RedlockContract extends LockProviderContract {

    private static final List<RedlockConnections> SEPARATE = new ArrayList<>();

    private static RedlockConnections connections;
    private static Supplier<RedlockConnections> more;

    public static void open(RedisServersExtension nodes) {
        more = () -> RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        connections = more.get();
        RedlockTestClient.of(nodes).close();
    }

    @AfterAll
    static void close() {
        connections.close();
        SEPARATE.forEach(RedlockConnections::close);
        SEPARATE.clear();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return RedlockTestClient.warmProvider(runtime, connections);
    }

    @Override
    protected LockProvider createSeparateProvider(LockRuntime runtime) {
        SEPARATE.add(more.get());
        return RedlockTestClient.warmProvider(runtime, SEPARATE.get(SEPARATE.size() - 1));
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS;
    }
}
