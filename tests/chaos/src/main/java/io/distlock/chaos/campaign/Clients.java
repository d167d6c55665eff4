package io.distlock.chaos.campaign;

import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Journal;
import io.distlock.chaos.history.Use;
import io.distlock.chaos.store.ChaosStore;
import io.distlock.chaos.store.Stores;
import io.distlock.test.process.TestFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The clients' processes, and what happens to them: they are frozen, thawed, killed, and replaced, and their wall
 * clocks are stepped. For one
 * thread at a time, but for {@link #entries()}.
 */
final class Clients implements AutoCloseable {

    private static final double KILLED = 0.4;
    private static final double CLOCK_STEPPED = 0.2;
    private static final int TRIES = 200;
    private static final Duration TO_WRITE = Duration.ofMillis(200);

    private final ChaosStore store;
    private final Journal journal;
    private final Path journals;
    private final TestFolder folder = TestFolder.create("chaos");
    private final int register;
    private final Random random;
    private final Pause pause;
    private final List<ClientProcess> running = new ArrayList<>();
    /** Read while others are started. */
    private final List<Path> written = new CopyOnWriteArrayList<>();

    private int started;

    Clients(ChaosStore store, Journal journal, Path journals, int register, long seed, Pause pause) {
        this.store = store;
        this.journal = journal;
        this.journals = journals;
        this.register = register;
        this.random = new Random(seed);
        this.pause = pause;
    }

    void start() {
        for (int place = 0; place < Stores.CLIENTS; place++) {
            running.add(startAt(place));
        }
    }

    private ClientProcess startAt(int place) {
        String name = "client" + place + '.' + started++;
        ClientProcess client = ClientProcess.start(
                name,
                journals,
                folder.path(),
                random.nextLong(),
                register,
                List.of(store.lease(), longEnough()),
                store.address(place));
        written.add(client.journal());
        return client;
    }

    /**
     * Gives the control its chance, before any other fault: freezes holders that will not ask their lock, until one of them, for
     * each use of a lock, has written after its successor.
     */
    void provoke(RegisterServer register) {
        Set<Use> missing = register.neverRefused();
        for (int tries = 0; tries < TRIES && !missing.isEmpty(); tries++) {
            int place = random.nextInt(running.size());
            running.get(place).freeze();
            if (isHeadstrong(Journal.read(running.get(place).journal()), missing)) {
                pause.of(longEnough());
            }
            running.get(place).thaw();
            pause.upTo(TO_WRITE, random);
            missing = register.neverRefused();
        }
    }

    /** Whether a client has a lock alone and will not ask whether it still has. */
    private static boolean isHeadstrong(List<Entry> entries, Set<Use> uses) {
        return History.of(entries).attempts().stream()
                .filter(attempt -> !attempt.checked() && !attempt.shared())
                .flatMap(attempt -> attempt.hold().stream())
                .anyMatch(hold -> uses.contains(hold.use())
                        && hold.wasHeld()
                        && hold.releasing().isEmpty());
    }

    /** Something happens to one of them. */
    void disturb() {
        int place = random.nextInt(running.size());
        if (random.nextDouble() < CLOCK_STEPPED) {
            stepClock(place);
        } else if (random.nextDouble() < KILLED) {
            journal.now(Kind.FAULT, "client-killed", "place-" + place);
            running.get(place).kill();
            pause.upTo(store.lease(), random);
            running.set(place, startAt(place));
            journal.now(Kind.HEALED, "client-killed", "place-" + place);
        } else {
            long most = longEnough().toMillis();
            freeze(place, Duration.ofMillis(50 + random.nextInt((int) most)));
        }
    }

    /** Until the next time. */
    private void stepClock(int place) {
        long most = 2 * longEnough().toMillis();
        Duration ahead = Duration.ofMillis(random.nextLong(-most, most));
        journal.now(Kind.FAULT, "client-clock-stepped", "place-" + place);
        running.get(place).stepClock(ahead);
        journal.now(Kind.HEALED, "client-clock-stepped", "by-%d-ms".formatted(ahead.toMillis()));
    }

    /** For somebody else to get the lock of a client that is frozen or does not renew. */
    private Duration longEnough() {
        return store.untilFree().multipliedBy(3).dividedBy(2);
    }

    private void freeze(int place, Duration time) {
        journal.now(Kind.FAULT, "client-frozen", "place-" + place);
        running.get(place).freeze();
        pause.of(time);
        running.get(place).thaw();
        journal.now(Kind.HEALED, "client-frozen", "place-" + place);
    }

    /** Ends all of them in an orderly way. */
    void stop() {
        running.forEach(ClientProcess::stop);
    }

    /** What ended a thread of a client. */
    List<String> failures() {
        return running.stream()
                .flatMap(client -> client.log().lines())
                .filter(line -> line.startsWith("Exception in thread"))
                .toList();
    }

    /** All that they have recorded. */
    List<Entry> entries() {
        return written.stream().map(Journal::read).flatMap(List::stream).toList();
    }

    @Override
    public void close() {
        running.stream().filter(ClientProcess::isRunning).forEach(ClientProcess::kill);
        folder.close();
    }
}
