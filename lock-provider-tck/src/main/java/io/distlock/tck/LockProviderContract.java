package io.distlock.tck;

import org.junit.jupiter.api.Nested;

/**
 * What every provider must do on a store that works: exclusion, waiting, leasing, releasing, fencing, telling, and
 * being forced. Extend it,
 * change nothing: in what stores differ is a parameter ({@link StoreTraits}).
 */
public abstract class LockProviderContract extends ContractFixture {

    @Nested
    class Exclusion extends ExclusionContract {

        Exclusion() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Waiting extends WaitingContract {

        Waiting() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Leasing extends LeasingContract {

        Leasing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class SharedLeases extends SharedLeasesContract {

        SharedLeases() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Releasing extends ReleasingContract {

        Releasing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Fencing extends FencingContract {

        Fencing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Forcing extends ForcingContract {

        Forcing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Telling extends TellingContract {

        Telling() {
            super(LockProviderContract.this);
        }
    }
}
