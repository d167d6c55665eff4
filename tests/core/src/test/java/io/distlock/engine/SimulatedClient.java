package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.spi.LockProvider;
import io.distlock.support.CallsInFlight;
import io.distlock.support.LockRuntime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** The client of a simulated process, whose every choice comes from one random source, and what a simulation asks of its engine. */
public final class SimulatedClient {

    public final LockClient client;
    private final ClientContext context;

    public SimulatedClient(
            String name,
            LockProvider provider,
            LockRuntime runtime,
            RandomGenerator random,
            Executor callbacks,
            Executor losses,
            LockListener listener) {
        this.context = new ClientContext(
                provider,
                runtime,
                new CallbackExecutor(callbacks, losses, () -> {}),
                new OwnerIds(name, runtime.ticker(), new SeededRandom(random)),
                () -> random,
                new CopyOnWriteArrayList<>(List.of(listener)),
                new CopyOnWriteArrayList<>(),
                new KeyQueues(),
                new Watchdog(provider, runtime),
                new CallsInFlight());
        this.client = new DefaultLockClient(context, LockOptions.defaults(), Duration.ZERO);
    }

    private static final class SeededRandom extends SecureRandom {

        private static final long serialVersionUID = 1;

        private final transient RandomGenerator random;

        SeededRandom(RandomGenerator random) {
            this.random = random;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            random.nextBytes(bytes);
        }
    }

    /** In the order of their grants. */
    public List<HeldLock> heldLocks() {
        return context.watchdog().held().stream()
                .map(DefaultHeldLock.class::cast)
                .sorted(Comparator.comparing(held -> held.lease().token()))
                .map(HeldLock.class::cast)
                .toList();
    }

    /** Without waiting for the answer. */
    public static void extend(HeldLock part, Duration leaseTime) {
        LeaseExtension.start((DefaultHeldLock) part, leaseTime, Duration.ZERO);
    }

    /** As {@link LockClient#forceRelease} of what is held here, without waiting for the answer. */
    public static void forceRelease(HeldLock part) {
        ((DefaultHeldLock) part).forceRelease();
    }

    public void requireNothingLeft(String name) {
        assertThat(client.waiting()).as("%s's calls", name).isEmpty();
        assertThat(context.queues().size()).as("%s's queues", name).isZero();
        assertThat(heldLocks()).as("%s's locks", name).isEmpty();
        assertThat(context.runtime().reaper().pending())
                .as("%s's unknown outcomes", name)
                .isZero();
        assertThat(context.openWork().drained()).as("%s's open work", name).isDone();
    }
}
