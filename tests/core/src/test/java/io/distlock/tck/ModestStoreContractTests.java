package io.distlock.tck;

/** The contract on a store that has no shared mode, and tells neither losses nor how long a key stays taken. */
class ModestStoreContractTests extends ToyContract {

    ModestStoreContractTests() {
        super(ToyLockProvider.Flaw.NONE, true);
    }
}
