package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Locks inside this JVM with the semantics of a distributed store: first come first served for each key, time to live,
 * fencing tokens, shared mode, lock-delay and minimum hold time. For tests and development: it excludes nobody outside the
 * process. Uses the runtime's clock. Thread-safe: the table guards shared state; futures complete here, under no monitor.
 */
public final class InMemoryLockProvider implements LockProvider {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

    private final LockRuntime runtime;
    private final LockTable table;

    /** The caller closes the runtime. */
    public InMemoryLockProvider(LockRuntime runtime) {
        this.runtime = runtime;
        this.table = new LockTable(
                runtime.ticker(), (key, delay) -> runtime.scheduler().schedule(() -> admitNext(key), delay));
    }

    @Override
    public String name() {
        return "in-memory";
    }

    @Override
    public Duration callTimeout() {
        return CALL_TIMEOUT;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        LockTable.Waiter waiter = new LockTable.Waiter(request, answer);
        LockTable.Arrival arrival;
        try {
            arrival = table.enter(waiter);
        } catch (LockUnavailableException closed) {
            return CompletableFuture.failedFuture(closed);
        }
        if (arrival.isQueued()) {
            request.listener().refused();
            Duration remaining = request.deadline().remaining();
            LockScheduler.Scheduled timer = runtime.scheduler().schedule(() -> timeOut(waiter), remaining);
            answer.whenComplete((grant, failure) -> {
                timer.cancel();
                leave(waiter);
            });
        } else {
            answer.complete(arrival.grant());
        }
        return answer;
    }

    private void timeOut(LockTable.Waiter waiter) {
        leave(waiter);
        waiter.answer().complete(Optional.empty());
    }

    private void leave(LockTable.Waiter waiter) {
        if (table.leave(waiter)) {
            admitNext(waiter.request().key());
        }
    }

    private void admitNext(LockKey key) {
        table.admit(key).forEach(this::deliver);
    }

    private void deliver(LockTable.Waiter waiter, Grant grant) {
        if (!waiter.answer().complete(Optional.of(grant))) {
            releaseNow(grant.lease(), Duration.ZERO);
        }
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        for (Lease lease : leases) {
            answers.answer(lease, table.renew((KeyState.InMemoryLease) lease) ? Renewal.RENEWED : Renewal.NOT_OWNER);
        }
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return CompletableFuture.completedFuture(releaseNow(lease, keepFor));
    }

    private Release releaseNow(Lease lease, Duration keepFor) {
        if (!table.release(lease, keepFor)) {
            return Release.NOT_OWNER;
        }
        admitNext(lease.key());
        return Release.RELEASED;
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return CompletableFuture.completedFuture(table.find(sequencer.key(), sequencer.token())
                .filter(lease -> lease.mode() == sequencer.mode())
                .isPresent());
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return CompletableFuture.completedFuture(table.status(key));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return CompletableFuture.completedFuture(table.find(key, token)
                .map(lease -> releaseNow(lease, Duration.ZERO))
                .orElse(Release.NOT_OWNER));
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return CompletableFuture.completedFuture(table.check());
    }

    @Override
    public void close() {
        for (LockTable.Waiter waiter : table.close()) {
            waiter.answer()
                    .completeExceptionally(LockTable.closed(waiter.request().key()));
        }
    }
}
