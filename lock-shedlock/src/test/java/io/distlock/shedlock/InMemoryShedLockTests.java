package io.distlock.shedlock;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;

class InMemoryShedLockTests extends ShedLockKit {

    @Override
    LockProvider createProvider(LockRuntime runtime) {
        return new InMemoryLockProvider(runtime);
    }
}
