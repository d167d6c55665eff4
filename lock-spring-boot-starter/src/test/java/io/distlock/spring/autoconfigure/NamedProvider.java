package io.distlock.spring.autoconfigure;

import io.distlock.LockKey;
import io.distlock.LockOptions;
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
import java.util.concurrent.atomic.AtomicInteger;

/** An in-memory provider under a name of one's own, which counts renewals and notes its end. */
public final class NamedProvider implements LockProvider {

    private final String name;
    private final LockRuntime runtime = LockRuntime.start();
    private final LockProvider behind = new InMemoryLockProvider(runtime);
    private final AtomicInteger renewals = new AtomicInteger();
    private final Duration longestLease;
    private volatile boolean closed;

    public NamedProvider(String name) {
        this(name, LockOptions.MAX_LEASE);
    }

    public NamedProvider(String name, Duration longestLease) {
        this.name = name;
        this.longestLease = longestLease;
    }

    int renewals() {
        return renewals.get();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Duration callTimeout() {
        return behind.callTimeout();
    }

    @Override
    public void validate(LockOptions options) {
        if (options.minHoldTime().compareTo(longestLease) > 0) {
            throw new IllegalArgumentException(
                    "the store '" + name + "' keeps no lock for " + options.minHoldTime() + ": shorten it");
        }
        if (options.leaseTime().compareTo(longestLease) > 0) {
            throw new IllegalArgumentException(
                    "the store '" + name + "' grants no lease of " + options.leaseTime() + ": shorten it");
        }
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return behind.acquire(request);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        renewals.addAndGet(leases.size());
        behind.renew(leases, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return behind.release(lease, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return behind.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return behind.inspect(key);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return behind.check();
    }

    @Override
    public void close() {
        closed = true;
        behind.close();
        runtime.close();
    }
}
