package io.distlock.tck;

import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The contract on a toy. */
class ToyContract extends LockProviderContract {

    private final ToyLockProvider.Flaw flaw;
    private final boolean modest;
    private @Nullable ToyStore store;

    ToyContract(ToyLockProvider.Flaw flaw, boolean modest) {
        this.flaw = flaw;
        this.modest = modest;
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        if (store == null) {
            store = new ToyStore(runtime.ticker());
        }
        return new ToyLockProvider(runtime, store, flaw, modest);
    }

    @Override
    protected StoreTraits traits() {
        StoreTraits traits = new StoreTraits(false, Duration.ofMillis(600), Duration.ofMillis(100));
        return modest ? traits.withoutSharedMode().withoutRemainingTime() : traits.withToldLosses();
    }
}
