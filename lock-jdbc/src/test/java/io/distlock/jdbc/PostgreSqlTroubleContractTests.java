package io.distlock.jdbc;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgreSqlTroubleContractTests extends StoreTroubleContract {

    static DatabaseBehindProxy database;

    @BeforeAll
    static void start() {
        database = new DatabaseBehindProxy(Database.postgresql());
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return database.provider(runtime);
    }

    @Override
    protected LockProvider createColdProvider(LockRuntime runtime) {
        return database.coldProvider(runtime);
    }

    @Override
    protected LockProvider createUntroubledProvider(LockRuntime runtime) {
        return database.untroubledProvider(runtime);
    }

    @Override
    protected StoreFaults faults() {
        return database;
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(false, Duration.ofSeconds(2), Duration.ofMillis(100));
    }
}
