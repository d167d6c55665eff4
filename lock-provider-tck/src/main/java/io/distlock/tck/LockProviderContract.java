package io.distlock.tck;

import org.junit.jupiter.api.Nested;

/**
 * What every provider must do on a working store: exclusion, waiting, leasing, releasing, fencing, requests that arrive twice
 * or late, losses, inspection and forced release; and what is built on it without knowing the store, permits and elections.
 * Extend it and change nothing: differences between stores are parameters ({@link StoreTraits}).
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
    class Repetition extends RepetitionContract {

        Repetition() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Losing extends LossContract {

        Losing() {
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
    class Forcing extends ForcedReleaseContract {

        Forcing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Permits extends PermitContract {

        Permits() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Electing extends ElectionContract {

        Electing() {
            super(LockProviderContract.this);
        }
    }

    @Nested
    class Telling extends InspectionContract {

        Telling() {
            super(LockProviderContract.this);
        }
    }
}
