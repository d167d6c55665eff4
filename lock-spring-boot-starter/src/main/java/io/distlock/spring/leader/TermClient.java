package io.distlock.spring.leader;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.WaiterInfo;
import io.distlock.leader.LeaderElection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Grants the lock of the role's term to calls, by entering the term: so a call on the leader runs as under any other lock.
 * Passes on all else. Thread-safe.
 */
final class TermClient implements LockClient {

    private final LockClient client;
    private final LeaderElection election;
    private final LongAdder skipped = new LongAdder();

    TermClient(LockClient client, LeaderElection election) {
        this.client = client;
        this.election = election;
    }

    LeaderElection election() {
        return election;
    }

    long skipped() {
        return skipped.sum();
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        return tryAcquire(request).orElseThrow(this::refused);
    }

    private LockNotAcquiredException refused() {
        return new LockNotAcquiredException(election.key(), Duration.ZERO);
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        Optional<HeldLock> entered = election.enter();
        if (entered.isEmpty()) {
            skipped.increment();
        }
        return entered;
    }

    @Override
    public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
        return tryAcquire(request)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> CompletableFuture.failedFuture(refused()));
    }

    @Override
    public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
        return CompletableFuture.completedFuture(tryAcquire(request));
    }

    // --- the rest is the client's ---

    @Override
    public String provider() {
        return client.provider();
    }

    @Override
    public LockOptions options() {
        return client.options();
    }

    @Override
    public void validate(LockOptions options) {
        client.validate(options);
    }

    @Override
    public LockView asLock(LockRequest request) {
        return client.asLock(request);
    }

    @Override
    public boolean isCurrent(Sequencer sequencer) {
        return client.isCurrent(sequencer);
    }

    @Override
    public CompletableFuture<Boolean> isCurrentAsync(Sequencer sequencer) {
        return client.isCurrentAsync(sequencer);
    }

    @Override
    public Optional<LockStatus> inspect(LockKey key) {
        return client.inspect(key);
    }

    @Override
    public Release forceRelease(LockKey key, FencingToken token) {
        return client.forceRelease(key, token);
    }

    @Override
    public Stream<HeldLockInfo> held() {
        return client.held();
    }

    @Override
    public Stream<WaiterInfo> waiting() {
        return client.waiting();
    }

    @Override
    public Executor callbacks() {
        return client.callbacks();
    }

    @Override
    public void addListener(LockListener listener) {
        client.addListener(listener);
    }

    @Override
    public void removeListener(LockListener listener) {
        client.removeListener(listener);
    }

    @Override
    public void addRequestListener(Function<LockRequest, LockListener.OfRequest> listener) {
        client.addRequestListener(listener);
    }

    /** Nothing: the client is closed by its owner. */
    @Override
    public void close() {}
}
