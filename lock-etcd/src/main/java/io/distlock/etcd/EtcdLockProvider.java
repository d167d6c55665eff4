package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.RenewalAnswers;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Locks in etcd. */
public final class EtcdLockProvider implements LockProvider {

    private final Duration callTimeout;
    private final EtcdQueue queue;
    private final Sessions sessions;
    private final Holdings holdings;
    private final Renewals renewals;
    private final QueueReader reader;
    private final EtcdHealth health;
    private final Watches watches;

    public EtcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        this.callTimeout = options.callTimeout();
        EtcdCalls calls = new EtcdCalls(connection.client(), runtime.timeouts(), callTimeout, connection.members());
        EtcdKeys keys = new EtcdKeys(options.keyPrefix());
        QueueCalls queueCalls = new QueueCalls(calls, new HolderNote());
        Ledger ledger = new Ledger();
        SessionAudit audit = new SessionAudit(calls, queueCalls, ledger, runtime.reaper(), keys);
        this.sessions = new Sessions(calls, runtime, options.session() == EtcdLockOptions.Session.SHARED, audit);
        this.holdings = new Holdings(queueCalls, sessions, ledger, runtime);
        this.renewals = new Renewals(holdings, runtime.ticker());
        this.reader = new QueueReader(calls, keys);
        this.health = new EtcdHealth(calls, keys, connection.versions(callTimeout));
        this.watches = connection.watches(runtime, callTimeout);
        this.queue = new EtcdQueue(runtime, keys, queueCalls, sessions, ledger, holdings, watches, callTimeout);
        // Begins to connect, so that the first lock need not wait for it. A failure is found again by whoever asks.
        health.check();
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public Duration callTimeout() {
        return callTimeout;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return queue.acquire(request);
    }

    @Override
    public void renew(Collection<Lease> leases, RenewalAnswers answers) {
        renewals.renew(leases, answers);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return holdings.release((EtcdLease) lease, keepFor);
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return reader.isCurrent(sequencer);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return reader.inspect(key);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return health.check();
    }

    @Override
    public void close() {
        queue.close();
        try {
            sessions.close().get(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException silent) {
            // What is left runs out.
        }
        watches.close();
    }
}
