package io.distlock.engine.simulation;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Moment;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.AcquireLoop;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A process's way to the store: made as the Redis provider is, with the network of the simulation in place of its driver. */
final class SimulatedProvider implements LockProvider, TryLockStore {

    static final Duration CALL_TIMEOUT = Duration.ofMillis(400);

    static final Duration CLAIM = AcquireLoop.LONGEST_PAUSE.plusSeconds(1);

    private final SimulatedProcess process;
    private final SimulatedNetwork network;
    private final AcquireLoop loop;
    private Duration callTimeout = CALL_TIMEOUT;

    SimulatedProvider(SimulatedProcess process, SimulatedNetwork network) {
        this.process = process;
        this.network = network;
        this.loop = new AcquireLoop(process.runtime, this, CALL_TIMEOUT);
    }

    /**
     * @param afterUnknown how long an earlier try may still come late, and take the lock for an owner that is gone
     */
    private record SimulatedLease(
            LockKey key,
            LockMode mode,
            String owner,
            FencingToken token,
            Duration renewedTimeToLive,
            Duration afterUnknown)
            implements Lease {}

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public Duration callTimeout() {
        return callTimeout;
    }

    /** Runs something that would block for up to a call timeout: here nothing can happen meanwhile. */
    void withoutWaiting(Runnable blocking) {
        callTimeout = Duration.ZERO;
        blocking.run();
        callTimeout = CALL_TIMEOUT;
    }

    private <T> CompletableFuture<T> call(String what, Lease lease, Supplier<T> command) {
        return network.call(process, what + " of token " + lease.token(), command);
    }

    // --- acquiring ---

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        CompletableFuture<Optional<Grant>> acquisition = loop.acquire(request);
        if (request.mode() == LockMode.EXCLUSIVE) {
            network.writers.watch(process, request, acquisition);
        }
        return acquisition;
    }

    @Override
    public CompletionStage<Result> attempt(LeaseRequest request, boolean again) {
        Moment since = process.now();
        Duration remaining = request.deadline().remaining();
        Duration wait = remaining.compareTo(CLAIM) < 0 ? remaining : CLAIM;
        return network.call(process, "a try for " + request.key(), () -> network.store.acquire(request, wait))
                .handle((answer, failure) -> failure == null
                        ? result(request, again, since, answer)
                        : new Result.Failed(
                                failure, !(failure instanceof SimulatedNetwork.Broken broken) || broken.sent));
    }

    private static Result result(LeaseRequest request, boolean again, Moment since, SimulatedStore.Answer answer) {
        Duration afterUnknown = again ? request.timeToLive() : Duration.ZERO;
        return answer.token()
                .<Result>map(token -> new Result.Granted(new Grant(
                        new SimulatedLease(
                                request.key(),
                                request.mode(),
                                request.owner(),
                                token,
                                request.renewedTimeToLive(),
                                afterUnknown),
                        since)))
                .orElseGet(() -> new Result.Refused(Optional.of(answer.freeIn())));
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        return withdraw(request.key(), request.owner());
    }

    private CompletionStage<Release> withdraw(LockKey key, String owner) {
        return network.call(process, "a withdrawal for " + key, () -> network.store.release(key, owner, Duration.ZERO));
    }

    // --- waiting ---

    /** A waiter's subscription to the releases of a key. */
    final class Listener implements Subscription {

        private final LockKey key;
        private final Runnable wake;
        private boolean closed;

        private Listener(LockKey key, Runnable wake) {
            this.key = key;
            this.wake = wake;
        }

        void announce(LockKey released) {
            if (key.equals(released)) {
                network.announce(process, this::wake);
            }
        }

        SimulatedProcess process() {
            return process;
        }

        private void wake() {
            if (!closed) {
                wake.run();
            }
        }

        @Override
        public void probe() {
            network.probe(process);
        }

        @Override
        public void close() {
            closed = true;
            network.store.subscribers().remove(this);
        }

        @Override
        public String toString() {
            return process + " for " + key;
        }
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        Listener listener = new Listener(key, wake);
        var subscribed = network.subscribe(
                process,
                "a subscription to " + key,
                () -> listener.closed
                        || process.isDead()
                        || network.store.subscribers().add(listener));
        // Long after the waiter has given up; without a limit, one whose confirmation is lost would never be closed.
        Duration limit = CALL_TIMEOUT.multipliedBy(20);
        return process.runtime.timeouts().within(limit, subscribed).handle((done, failure) -> {
            if (failure != null) {
                listener.close();
                throw new IllegalStateException("not subscribed", failure);
            }
            return listener;
        });
    }

    private List<Listener> listeners() {
        List<Listener> ours = new ArrayList<>(network.store.subscribers());
        ours.removeIf(listener -> listener.process() != process);
        return ours;
    }

    /** Releases may have been missed. */
    void reconnected() {
        listeners().forEach(Listener::wake);
    }

    void disconnect() {
        listeners().forEach(Listener::close);
    }

    // --- holding ---

    /** Sorted: the engine's batch is in no particular order. */
    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        leases.stream()
                .sorted(Comparator.comparing(Lease::token))
                .forEach(lease -> extend(lease, ((SimulatedLease) lease).renewedTimeToLive, answers));
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        call("a renewal", lease, () -> network.store.extend(lease.key(), lease.token(), timeToLive))
                .whenComplete((renewal, failure) -> answers.answer(lease, failure == null ? renewal : Renewal.UNKNOWN));
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return call("a release", lease, () -> network.store.release(lease.key(), lease.owner(), keepFor))
                .handle((release, failure) -> failure == null ? release : Release.UNKNOWN)
                .thenApply(release -> withdrawEarlierTries((SimulatedLease) lease, release));
    }

    private Release withdrawEarlierTries(SimulatedLease lease, Release release) {
        if (release != Release.UNKNOWN && !lease.afterUnknown.isZero()) {
            process.runtime
                    .reaper()
                    .reap(
                            "An earlier try",
                            lease.afterUnknown.plus(CALL_TIMEOUT),
                            () -> process.runtime.timeouts().within(CALL_TIMEOUT, withdraw(lease.key, lease.owner)));
        }
        return release;
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return network.call(process, "a forced release", () -> network.store.forceRelease(key, token));
    }

    // --- not simulated ---

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        loop.close();
    }
}
