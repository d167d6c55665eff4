package io.distlock.jdbc;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2LockProviderContractTests extends LockProviderContract {

    static Database database;
    static JdbcLockConnections connections;

    @BeforeAll
    static void start() {
        database = Database.h2();
        // Of all providers, which each use two, and one to listen.
        connections = database.connections(Database.PATIENT.withConnections(40));
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new JdbcLockProvider(runtime, connections, Database.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(false, Duration.ofMillis(800), Duration.ofMillis(100));
    }
}
