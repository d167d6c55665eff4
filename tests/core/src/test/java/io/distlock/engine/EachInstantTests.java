package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What another thread may do to a lock, done at each reading of the clock of the thread that acquires, extends or releases
 * it. The engine reads the clock in all of its steps, so this is nearly each order in which the two can meet.
 */
@EndsInTime
class EachInstantTests {

    private static final List<String> NAMES = List.of("a", "b", "c");

    /** What another thread does. */
    enum Act {
        CANCELS,
        CLOSES_THE_CLIENT,
        LETS_THE_WAIT_TIME_PASS,
        LETS_THE_LEASE_PASS,
        REPORTS_A_LOSS,
        TAKES_A_KEY_AWAY,
        RELEASES,
        EXTENDS
    }

    /** One client, whose clock lets another thread act when it has been read so often. */
    private static final class World implements Ticker {

        private final ManualTicker time = new ManualTicker();
        private final ManualScheduler scheduler = new ManualScheduler(time);
        private final InMemoryLockProvider store = new InMemoryLockProvider(new LockRuntime(time, scheduler));
        private final FaultyLockProvider provider = new FaultyLockProvider(store);
        private final LockRuntime runtime = new LockRuntime(this, scheduler);
        private final ClientContext context = ManualEngine.context(provider, runtime, Runnable::run, () -> {});
        private final DefaultLockClient client = ManualEngine.client(context);
        private final Map<FencingToken, List<String>> lives = new HashMap<>();
        private final List<Runnable> losses = new CopyOnWriteArrayList<>();
        private final Thread user = Thread.currentThread();
        private final Act act;
        private final int instant;
        private CompletableFuture<Optional<HeldLock>> asked = new CompletableFuture<>();
        private int readings;
        private boolean counting;
        private @Nullable Thread other;

        World(Act act, int instant) {
            this.act = act;
            this.instant = instant;
            client.addListener(this::note);
            provider.onLossWatched(losses::add);
        }

        private synchronized void note(LockEvent event) {
            if (event instanceof LockEvent.Acquired acquired) {
                live(acquired.token()).add("acquired");
            } else if (event instanceof LockEvent.Released released) {
                live(released.token()).add("ended");
            } else if (event instanceof LockEvent.Lost lost) {
                live(lost.loss().token()).add("ended");
            }
        }

        private List<String> live(FencingToken token) {
            return lives.computeIfAbsent(token, first -> new ArrayList<>());
        }

        void ask() {
            provider.onAcquire(Fault.LATE);
            asked = client.tryAcquireAsync(
                    client.request(NAMES.stream().map(LockKey::of).toList()).withOptions(options()));
        }

        private static LockOptions options() {
            return LockOptions.defaults().withRenew(false);
        }

        HeldLock hold() {
            ask();
            provider.deliver();
            return asked.join().orElseThrow();
        }

        /** True if the other thread has acted. */
        boolean meets(Runnable step) throws InterruptedException {
            counting = true;
            step.run();
            counting = false;
            if (other == null) {
                return false;
            }
            other.join();
            provider.deliver();
            return true;
        }

        @Override
        public long nanos() {
            if (counting && Thread.currentThread() == user && ++readings == instant) {
                other = new Thread(this::act, "another");
                other.start();
                awaitEndOrMonitor(other);
            }
            return time.nanos();
        }

        /** What it does may have to wait for this thread, which then goes on. */
        private static void awaitEndOrMonitor(Thread other) {
            try {
                do {
                    other.join(1);
                } while (other.getState() == Thread.State.RUNNABLE);
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException(interrupt);
            }
        }

        @Override
        public long wallMillis() {
            return time.wallMillis();
        }

        private void act() {
            Optional<HeldLock> lock =
                    asked.isDone() && !asked.isCompletedExceptionally() ? asked.join() : Optional.empty();
            switch (act) {
                case CANCELS -> asked.cancel(true);
                case CLOSES_THE_CLIENT -> client.close();
                case LETS_THE_WAIT_TIME_PASS -> time.advance(Duration.ofSeconds(7));
                case LETS_THE_LEASE_PASS -> time.advance(Duration.ofSeconds(30));
                case REPORTS_A_LOSS -> reportALoss();
                case TAKES_A_KEY_AWAY -> takeAway();
                case RELEASES -> lock.ifPresent(HeldLock::release);
                case EXTENDS -> lock.filter(HeldLock::isHeld).ifPresent(World::tryToExtend);
            }
        }

        private void reportALoss() {
            NAMES.forEach(name -> token(name).ifPresent(token -> store.forceRelease(LockKey.of(name), token)));
            losses.forEach(Runnable::run);
        }

        private void takeAway() {
            token("b").ifPresent(token -> client.forceRelease(LockKey.of("b"), token));
        }

        private Optional<FencingToken> token(String name) {
            return store.inspect(LockKey.of(name))
                    .toCompletableFuture()
                    .join()
                    .flatMap(status -> status.holders().get(0).token());
        }

        private static void tryToExtend(HeldLock lock) {
            try {
                lock.extend(Duration.ofMinutes(1));
            } catch (RuntimeException over) {
                assertThat(lock.isHeld()).isFalse();
            }
        }

        /** Whoever has got the lock releases it; then it is as if nobody had ever asked. */
        void assertNothingLeft(String when) {
            if (asked.isDone() && !asked.isCompletedExceptionally()) {
                asked.join().ifPresent(HeldLock::release);
            }
            assertThat(client.held()).as("held %s", when).isEmpty();
            // The reaper looks twice more.
            time.advance(Duration.ofSeconds(10));
            assertThat(client.waiting()).as("pending %s", when).isEmpty();
            assertThat(asked).as("answered %s", when).isDone();
            assertThat(context.queues().size()).as("queues %s", when).isZero();
            assertThat(context.openWork().drained()).as("open work %s", when).isDone();
            assertThat(runtime.reaper().pending()).as("reaper %s", when).isZero();
            // Those of a closed client's users expire.
            if (act != Act.CLOSES_THE_CLIENT) {
                for (String name : NAMES) {
                    assertThat(token(name)).as("%s %s", name, when).isEmpty();
                }
            }
            assertThat(lives.values()).as("events %s", when).allMatch(List.of("acquired", "ended")::equals);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {"RELEASES", "EXTENDS"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatHappensDuringAnAcquisitionLeavesNothing(Act act) throws InterruptedException {
        atEachInstant(act, World::ask, world -> world.provider.deliver());
    }

    @ParameterizedTest
    @EnumSource(names = "CANCELS", mode = EnumSource.Mode.EXCLUDE)
    void whatHappensDuringAReleaseEndsEachLockOnce(Act act) throws InterruptedException {
        atEachInstant(
                act, World::hold, world -> world.asked.join().orElseThrow().release());
    }

    @ParameterizedTest
    @EnumSource(names = "CANCELS", mode = EnumSource.Mode.EXCLUDE)
    void whatHappensDuringAnExtensionDoesNotReviveALock(Act act) throws InterruptedException {
        atEachInstant(act, World::hold, world -> world.asked.join().ifPresent(World::tryToExtend));
    }

    private static void atEachInstant(Act act, Consumer<World> before, Consumer<World> step)
            throws InterruptedException {
        boolean met = true;
        for (int instant = 1; met; instant++) {
            World world = new World(act, instant);
            before.accept(world);
            met = world.meets(() -> step.accept(world));
            world.assertNothingLeft("after another " + act + " at reading " + instant);
            assertThat(met || instant > 10).as("enough readings").isTrue();
        }
    }
}
