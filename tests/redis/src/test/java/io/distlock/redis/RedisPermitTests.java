package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockRequest;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RecordedCommand;
import io.distlock.test.redis.RedisProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What permits cost at a real server, how they are passed on, and what happens while their number is lowered. */
class RedisPermitTests extends OneClientFixture {

    private static final int PERMITS = 3;

    private static TestClient other;

    @BeforeAll
    static void connectAnother() {
        other = TestClient.of(redis.server().endpoint());
    }

    @AfterAll
    static void disconnectTheOther() {
        other.close();
    }

    private static LockRequest request(TestClient by, String name, int permits) {
        return by.locks.request(name).withPermits(permits).withWaitTime(TestClient.PATIENCE);
    }

    private static List<HeldLock> holdAll(TestClient by, String name) {
        return Stream.generate(() -> by.locks.acquire(request(by, name, PERMITS)))
                .limit(PERMITS)
                .toList();
    }

    @Test
    void aFreePermitCostsTwoCommands(RedisProbe probe) {
        client.locks.acquire(request(client, "imports", PERMITS)).close();
        try (CommandRecorder recorder = probe.record()) {
            client.locks.acquire(request(client, "imports", PERMITS)).close();
            assertThat(about("imports", recorder)).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    /** Those of other tests may still be looked after. */
    private static List<String> about(String name, CommandRecorder recorder) {
        return recorder.commands().stream()
                .filter(command -> command.words().toString().contains(name))
                .map(RecordedCommand::name)
                .toList();
    }

    /** Of its lock, at each permit: a try, a subscription, a try; then a try after the news, and the end of the others. */
    @Test
    void aWaitForOneOfThreeCostsWhatThreeWaitsCost(RedisProbe probe) {
        List<HeldLock> held = holdAll(other, "waited");
        List<String> commands;
        try (CommandRecorder recorder = probe.record()) {
            CompletableFuture<HeldLock> waiter = client.locks.acquireAsync(request(client, "waited", PERMITS));
            await().atMost(TestClient.PATIENCE)
                    .until(() -> about("waited", recorder).stream()
                                    .filter("EVALSHA"::equals)
                                    .count()
                            >= 2 * PERMITS);
            held.get(1).release();
            HeldLock passedOn = TestClient.get(waiter);
            assertThat(passedOn.permit()).isEqualTo(held.get(1).permit());
            passedOn.release();
            commands = about("waited", recorder);
        }
        held.forEach(HeldLock::release);
        System.out.println("a wait for one of " + PERMITS + " permits, with the release that ends it: " + commands);
        // Two tries at each permit, one that is granted, two releases. A try may be under way when the news comes.
        assertThat(commands.stream().filter("EVALSHA"::equals).count())
                .as("tries and releases: %s", commands)
                .isBetween(2L * PERMITS + 3, 3L * PERMITS + 3);
        assertThat(commands.stream().filter(name -> name.endsWith("SUBSCRIBE")).count())
                .as("subscriptions: %s", commands)
                .isLessThanOrEqualTo(2L * PERMITS);
    }

    @Test
    void whicheverPermitIsReleasedIsPassedOn() {
        List<Long> permits = new ArrayList<>();
        List<Long> locks = new ArrayList<>();
        List<HeldLock> held = new ArrayList<>(holdAll(other, "passed-on"));
        HeldLock alone = other.locks.acquire(request(other, "alone", 1));
        for (int round = 0; round < 100; round++) {
            HeldLock released = held.remove(ThreadLocalRandom.current().nextInt(PERMITS));
            TestClient next = round % 2 == 0 ? client : other;
            HeldLock passedOn = passOn(next, request(next, "passed-on", PERMITS), released, permits);
            assertThat(passedOn.permit()).isEqualTo(released.permit());
            held.add(passedOn);
            alone = passOn(next, request(next, "alone", 1), alone, locks);
        }
        alone.release();
        held.forEach(HeldLock::release);
        System.out.printf(
                Locale.ROOT,
                "hand-over of 100, ms: one of three permits p50 %.2f, max %.1f; one lock p50 %.2f, max %.1f%n",
                millis(permits, 0.5),
                millis(permits, 1),
                millis(locks, 0.5),
                millis(locks, 1));
    }

    private static HeldLock passOn(TestClient by, LockRequest request, HeldLock released, List<Long> nanos) {
        CompletableFuture<HeldLock> waiter = by.locks.acquireAsync(request);
        assertThat(waiter).isNotDone();
        long start = System.nanoTime();
        released.release();
        HeldLock next = TestClient.get(waiter);
        nanos.add(System.nanoTime() - start);
        return next;
    }

    private static double millis(List<Long> nanos, double share) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get((int) ((sorted.size() - 1) * share)) / 1e6;
    }

    /** Instances of the old release have three permits, those of the new one two. */
    @Test
    void whileTheNumberIsLoweredTheLargerOneHoldsAndThenTheSmaller() throws Exception {
        try (TestClient fresh = TestClient.of(redis.server().endpoint())) {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicBoolean oldAreThere = new AtomicBoolean(true);
            List<Thread> old = IntStream.range(0, 4)
                    .mapToObj(each -> worker(each % 2 == 0 ? client : other, 3, inside, most, oldAreThere))
                    .toList();
            AtomicBoolean goOn = new AtomicBoolean(true);
            AtomicInteger grants = new AtomicInteger();
            List<Thread> young = IntStream.range(0, 4)
                    .mapToObj(each -> counting(fresh, 2, inside, most, goOn, grants))
                    .toList();
            await().atMost(TestClient.PATIENCE).until(() -> grants.get() >= 20 && most.get() == 3);
            assertThat(most).hasValue(3);

            oldAreThere.set(false);
            join(old);
            most.set(0);
            int before = grants.get();
            await().atMost(TestClient.PATIENCE).until(() -> grants.get() >= before + 50);
            goOn.set(false);
            join(young);
            assertThat(most).hasValue(2);
        }
    }

    private static Thread worker(
            TestClient by, int permits, AtomicInteger inside, AtomicInteger most, AtomicBoolean goOn) {
        return start(() -> {
            while (goOn.get()) {
                work(by, permits, inside, most);
            }
        });
    }

    private static Thread counting(
            TestClient by,
            int permits,
            AtomicInteger inside,
            AtomicInteger most,
            AtomicBoolean goOn,
            AtomicInteger grants) {
        return start(() -> {
            while (goOn.get()) {
                work(by, permits, inside, most);
                grants.incrementAndGet();
            }
        });
    }

    private static void work(TestClient by, int permits, AtomicInteger inside, AtomicInteger most) {
        try (HeldLock held = by.locks.acquire(request(by, "lowered", permits))) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            // Work that takes long enough for others to be inside meanwhile.
            LockSupport.parkNanos(2_000_000);
            held.ensureHeld();
            inside.decrementAndGet();
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "permit-worker");
        thread.start();
        return thread;
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TestClient.PATIENCE.toMillis());
            assertThat(thread.isAlive()).isFalse();
        }
    }

    /** What they cost beside one lock is measured by the benchmark "permits". */
    @ParameterizedTest
    @ValueSource(ints = {1, PERMITS})
    void asManyOfEightClientsHoldAsThereArePermits(int permits) throws Exception {
        List<TestClient> clients = Stream.generate(
                        () -> TestClient.of(redis.server().endpoint()))
                .limit(8)
                .toList();
        try {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicInteger grants = new AtomicInteger();
            AtomicBoolean goOn = new AtomicBoolean(true);
            List<Thread> threads = clients.stream()
                    .map(each -> counting(each, permits, inside, most, goOn, grants))
                    .toList();
            await().atMost(TestClient.PATIENCE).until(() -> grants.get() >= 500 && most.get() == permits);
            goOn.set(false);
            join(threads);
            assertThat(most).hasValue(permits);
            assertThat(inside).hasValue(0);
        } finally {
            clients.forEach(TestClient::close);
        }
    }
}
