package io.distlock.tck;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One part of the contract. Runs nested in {@link LockProviderContract}, with the clients of that test. */
abstract class ContractPart {

    private final ContractFixture fixture;

    ContractPart(ContractFixture fixture) {
        this.fixture = fixture;
    }

    LockClient one() {
        return fixture.one;
    }

    LockClient other() {
        return fixture.other;
    }

    LockProvider provider() {
        return fixture.provider;
    }

    LockRuntime runtime() {
        return fixture.runtime();
    }

    StoreTraits traits() {
        return fixture.traits();
    }

    LockProvider newProvider() {
        return fixture.newProvider();
    }

    LockProvider newSeparateProvider() {
        return fixture.newSeparateProvider();
    }

    Duration remaining(LockKey key) {
        return fixture.remaining(key);
    }

    /** Those that the provider has. */
    List<LockMode> modes() {
        return traits().sharedMode() ? List.of(LockMode.values()) : List.of(LockMode.EXCLUSIVE);
    }

    void needsSharedMode() {
        fixture.needsSharedMode();
    }

    LockClient newClient(LockProvider provider) {
        return fixture.newClient(provider);
    }

    LockRequest briefly(LockRequest request) {
        return fixture.briefly(request);
    }

    LeaseRequest leaseRequest(LockKey key, String owner) {
        return fixture.leaseRequest(key, owner);
    }

    LeaseRequest leaseRequest(LockKey key, String owner, LockOptions options) {
        return fixture.leaseRequest(key, owner, options);
    }

    void assertWaits(LockKey key, CompletableFuture<?> waiter) {
        fixture.assertWaits(key, waiter);
    }

    void assertFree(LockKey key) {
        fixture.assertFree(key);
    }

    void awaitKeptBeyond(Duration lease, LockKey key, long grantedNanos) {
        fixture.awaitKeptBeyond(lease, key, grantedNanos);
    }
}
