package io.distlock.toy;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A provider that nobody knows of: its store is the memory of this process. */
public final class ToyLockProvider implements LockProvider {

    private final LockProvider memory;

    public ToyLockProvider(LockRuntime runtime) {
        this.memory = new InMemoryLockProvider(runtime);
    }

    @Override
    public String name() {
        return "toy";
    }

    @Override
    public Duration callTimeout() {
        return memory.callTimeout();
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return memory.acquire(request);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        memory.renew(leases, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return memory.release(lease, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return memory.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return memory.inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return memory.forceRelease(key, token);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return memory.check();
    }

    @Override
    public void close() {
        memory.close();
    }
}
