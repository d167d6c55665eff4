package io.distlock.inmemory;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

class InMemoryLockProviderContractTests extends LockProviderContract {

    private @Nullable LockProvider store;

    /** The provider is the store. */
    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        if (store == null) {
            store = new InMemoryLockProvider(runtime);
        }
        return store;
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(true, Duration.ofMillis(600), Duration.ofMillis(100));
    }
}
