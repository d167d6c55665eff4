package io.distlock.test.provider;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Wraps another provider, and answers late, not at all, with an error, or with an unknown outcome. Counts the calls.
 * Thread-safe.
 */
public final class FaultyLockProvider implements LockProvider {

    private final LockProvider behind;
    private final String name;
    private final ConcurrentLinkedQueue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private final AtomicInteger acquires = new AtomicInteger();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();
    private final List<Integer> renewalBatches = new ArrayList<>();
    private final FaultPlan acquiring = new FaultPlan();
    private final FaultPlan renewing = new FaultPlan();
    private final FaultPlan releasing = new FaultPlan();
    private final FaultPlan forcing = new FaultPlan();
    private final FaultPlan asking = new FaultPlan();
    private volatile Consumer<Runnable> lossWatcher = lost -> {};

    public FaultyLockProvider(LockProvider behind) {
        this(behind, behind.name());
    }

    /**
     * Replaces another provider.
     *
     * @param name the name of the replaced provider, by which methods ask for it
     */
    public FaultyLockProvider(LockProvider behind, String name) {
        this.behind = behind;
        this.name = name;
    }

    /** The wrapped provider, which has no faults. */
    public LockProvider behind() {
        return behind;
    }

    /** From now on, all calls are answered like those of the wrapped provider. Answers held back remain so. */
    public void heal() {
        acquiring.clear();
        renewing.clear();
        releasing.clear();
        forcing.clear();
        asking.clear();
    }

    public void onAcquire(Fault fault) {
        acquiring.set(fault);
    }

    public void onAcquire(LockKey key, Fault fault) {
        acquiring.set(key, fault);
    }

    public void onRenew(Fault fault) {
        renewing.set(fault);
    }

    public void onRenew(LockKey key, Fault fault) {
        renewing.set(key, fault);
    }

    public void onRelease(Fault fault) {
        releasing.set(fault);
    }

    public void onRelease(LockKey key, Fault fault) {
        releasing.set(key, fault);
    }

    public void onForceRelease(Fault fault) {
        forcing.set(fault);
    }

    public void onIsCurrent(Fault fault) {
        asking.set(fault);
    }

    /** The watcher also gets the callback for the loss of each grant, in addition to the wrapped provider. */
    public void onLossWatched(Consumer<Runnable> watcher) {
        lossWatcher = watcher;
    }

    /** Delivers the answers that were held back, on the calling thread. */
    public void deliver() {
        for (Runnable next = heldBack.poll(); next != null; next = heldBack.poll()) {
            next.run();
        }
    }

    /** How many acquisitions were requested. */
    public int acquires() {
        return acquires.get();
    }

    /** How many batches of renewals were requested. */
    public int renewals() {
        return renewals.get();
    }

    /** The size of each batch of renewals so far. */
    public synchronized List<Integer> renewalBatches() {
        return List.copyOf(renewalBatches);
    }

    /** How many releases were requested. */
    public int releases() {
        return releases.get();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletableFuture<Boolean> connected() {
        return behind.connected();
    }

    @Override
    public Duration callTimeout() {
        return behind.callTimeout();
    }

    @Override
    public double clockDrift() {
        return behind.clockDrift();
    }

    @Override
    public void validate(LockOptions options) {
        behind.validate(options);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        acquires.incrementAndGet();
        Fault fault = acquiring.of(request.key());
        if (fault == Fault.NONE) {
            return behind.acquire(request);
        }
        if (fault == Fault.REFUSED) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return disturb(fault, () -> behind.acquire(request));
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        behind.onLoss(lease, lost);
        lossWatcher.accept(lost);
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        renewals.incrementAndGet();
        synchronized (this) {
            renewalBatches.add(leases.size());
        }
        Map<Fault, List<Lease>> byFault =
                leases.stream().collect(Collectors.groupingBy(lease -> renewing.of(lease.key())));
        // One that throws spoils the whole batch, as it does where the batch is one message.
        if (byFault.containsKey(Fault.ERROR) || byFault.containsKey(Fault.THROW)) {
            throw new IllegalStateException("renewal fails on purpose");
        }
        byFault.forEach((fault, some) -> disturb(fault, answers, disturbed -> behind.renew(some, disturbed)));
    }

    /** With the faults of renewals. */
    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        disturb(renewing.of(lease.key()), answers, disturbed -> behind.extend(lease, timeToLive, disturbed));
    }

    private void disturb(Fault fault, Renewal.Answers answers, Consumer<Renewal.Answers> call) {
        switch (fault) {
            case NONE -> call.accept(answers);
            case LATE -> call.accept((lease, renewal) -> heldBack.add(() -> answers.answer(lease, renewal)));
            case REPLY_LOST -> call.accept((lease, renewal) -> answers.answer(lease, Renewal.UNKNOWN));
            case SILENCE -> {}
            case REFUSED -> throw new IllegalArgumentException("only an acquisition can be refused");
            case ERROR, THROW -> throw new IllegalStateException("renewal fails on purpose");
        }
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        releases.incrementAndGet();
        Fault fault = releasing.of(lease.key());
        if (fault == Fault.REPLY_LOST) {
            return behind.release(lease, keepFor).thenApply(lost -> Release.UNKNOWN);
        }
        return disturb(fault, () -> behind.release(lease, keepFor));
    }

    private <T> CompletableFuture<T> disturb(Fault fault, Supplier<? extends CompletionStage<T>> call) {
        CompletableFuture<T> answer = fault == Fault.LATE ? new UnderWay<>() : new CompletableFuture<>();
        switch (fault) {
            case NONE -> pass(call.get(), answer);
            case LATE -> {
                CompletionStage<T> applied = call.get();
                heldBack.add(() -> pass(applied, answer));
            }
            case REPLY_LOST ->
                call.get()
                        .whenComplete((applied, failure) ->
                                answer.completeExceptionally(new IllegalStateException("reply lost on purpose")));
            case ERROR -> answer.completeExceptionally(new IllegalStateException("call fails on purpose"));
            case THROW -> throw new IllegalStateException("call throws on purpose");
            case SILENCE -> {}
            case REFUSED -> throw new IllegalArgumentException("only an acquisition can be refused");
        }
        return answer;
    }

    /** An answer that cancellation does not stop. */
    private static final class UnderWay<T> extends CompletableFuture<T> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    private static <T> void pass(CompletionStage<T> applied, CompletableFuture<T> answer) {
        applied.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        });
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return disturb(asking.of(sequencer.key()), () -> behind.isCurrent(sequencer));
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return behind.inspect(key);
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return disturb(forcing.of(key), () -> behind.forceRelease(key, token));
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        return behind.check();
    }

    @Override
    public void close() {
        behind.close();
    }
}
