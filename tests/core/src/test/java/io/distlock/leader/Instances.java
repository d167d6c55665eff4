package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.engine.ManualClients;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/** Instances that stand for one role on one store, on a clock that stands still. Nothing happens but by the test's hand. */
final class Instances {

    static final String ROLE = "report";
    static final Duration LEASE = Duration.ofSeconds(30);

    /** Ends a term, by the clock, that is not renewed: the lease less the drift, less the margin. */
    static final long TERM_MILLIS = 30_000 - 300 - 2 - 3_000;

    final ManualTicker ticker = new ManualTicker();
    final InMemoryLockProvider store = new InMemoryLockProvider(ManualScheduler.runtime(ticker));
    final List<String> news = new ArrayList<>();

    Instance start(String name) {
        return start(name, ticker);
    }

    /** With timers on a clock of their own: time passes without any of them running. */
    Instance start(String name, ManualTicker timers) {
        return new Instance(name, timers);
    }

    void advance(Duration time) {
        ticker.advance(time);
    }

    /** Goes on a millisecond at a time; how many have passed. */
    long advanceUntil(BooleanSupplier condition, Duration atMost) {
        long millis = 0;
        while (!condition.getAsBoolean()) {
            assertThat(millis).as("waited in vain").isLessThan(atMost.toMillis());
            advance(Duration.ofMillis(1));
            millis++;
        }
        return millis;
    }

    Optional<LockStatus> atStore() {
        return store.inspect(LockKey.of(LeaderElection.LOCK_NAME, ROLE))
                .toCompletableFuture()
                .join();
    }

    /** A process, with its own connection to the store. */
    final class Instance implements LeaderListener {

        final String name;
        final FaultyLockProvider provider = new FaultyLockProvider(store);
        final ManualScheduler scheduler;
        final LockRuntime runtime;
        final LockClient client;
        final LeaderElection election;
        final List<LeaderTerm> terms = new ArrayList<>();
        private final Queue<Runnable> callbacks = new ArrayDeque<>();
        private boolean busy;
        Optional<RuntimeException> failsOnElection = Optional.empty();

        Instance(String name, ManualTicker timers) {
            this.name = name;
            this.scheduler = new ManualScheduler(timers);
            this.runtime = new LockRuntime(ticker, scheduler);
            this.client = ManualClients.of(provider, runtime, this::execute, name);
            this.election = LeaderElectionBuilder.of(client, runtime, ROLE)
                    .leaseTime(LEASE)
                    .listener(this)
                    .build();
        }

        private void execute(Runnable callback) {
            if (busy) {
                callbacks.add(callback);
            } else {
                callback.run();
            }
        }

        /** From now on, callbacks wait. */
        void holdCallbacks() {
            busy = true;
        }

        /** Those that wait go on waiting; later ones run. */
        void passCallbacks() {
            busy = false;
        }

        void runCallbacks() {
            busy = false;
            for (Runnable next = callbacks.poll(); next != null; next = callbacks.poll()) {
                next.run();
            }
        }

        Instance stand() {
            election.stand();
            return this;
        }

        boolean leads() {
            return election.isLeader();
        }

        void losesTheStore() {
            provider.onAcquire(Fault.SILENCE);
            provider.onRenew(Fault.SILENCE);
            provider.onRelease(Fault.SILENCE);
        }

        @Override
        public void onElected(LeaderTerm term) {
            terms.add(term);
            news.add(name + " elected");
            failsOnElection.ifPresent(failure -> {
                throw failure;
            });
        }

        @Override
        public void onRevoked(LeaderTerm term, Revocation reason) {
            assertThat(term).isEqualTo(terms.get(terms.size() - 1));
            assertThat(election.isLeader()).isFalse();
            news.add(name + " " + reason);
        }
    }
}
