package io.distlock.chaos.campaign;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockRequest;
import io.distlock.chaos.check.Verdict;
import io.distlock.chaos.check.Violation;
import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.client.Access;
import io.distlock.chaos.client.Keys;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Journal;
import io.distlock.chaos.store.ChaosStore;
import io.distlock.chaos.store.Fault;
import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.spi.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One campaign: clients take a few locks and permits and stand for roles, while three lanes of faults hit them: one the clients,
 * one the store and the network, and one the leaders.
 * The faults are drawn from the seed, and come in the same order for the same seed; when they hit what is the machine's. In
 * the last quarter, faults come that the provider does not promise to bear.
 */
public final class Campaign {

    private static final Duration BETWEEN_FAULTS = Duration.ofMillis(1_200);
    private static final Duration BETWEEN_CLIENT_FAULTS = Duration.ofMillis(2_500);
    private static final Duration BETWEEN_DEPOSITIONS = Duration.ofSeconds(5);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);
    /** For entries that are written with a delay, such as that a process stood still. */
    private static final Duration TO_BE_SURE = Duration.ofSeconds(1);

    private static final int ROUNDS = 3;
    private static final Duration TO_BE_FREE = Duration.ofSeconds(15);

    private final ChaosStore store;
    private final long seed;
    private final Duration duration;
    private final boolean untilBroken;
    private final Path folder;
    private final Ticker ticker = Ticker.system();
    private final Pause pause = new Pause();

    /**
     * A campaign against a store that has started.
     *
     * @param store the store
     * @param seed what faults and workload are drawn from
     * @param duration how long faults go on
     * @param untilBroken whether it ends as soon as a promise is broken
     * @param folder where the journals go
     */
    public Campaign(ChaosStore store, long seed, Duration duration, boolean untilBroken, Path folder) {
        this.store = store;
        this.seed = seed;
        this.duration = duration;
        this.untilBroken = untilBroken;
        this.folder = folder;
    }

    /** Runs it. */
    public Result run() {
        Path own = folder.resolve("campaign.journal");
        List<Violation> left = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        try (Journal journal = Journal.in(own, ticker);
                RegisterServer register = RegisterServer.start(journal);
                Clients clients = new Clients(store, journal, folder, register.port(), seed, pause)) {
            clients.start();
            clients.provoke(register);
            disturb(journal, clients, own);
            store.heal();
            clients.stop();
            left.addAll(leftovers(clients));
            entries.addAll(clients.entries());
        }
        entries.addAll(Journal.read(own));
        History history = History.of(entries);
        Verdict verdict = verdict(history);
        List<Violation> all =
                Stream.concat(verdict.violations().stream(), left.stream()).toList();
        return new Result(
                store.name(),
                store.server(),
                seed,
                duration,
                history,
                new Verdict(all, verdict.beyond(), verdict.forced(), verdict.control()));
    }

    private void disturb(Journal journal, Clients clients, Path own) {
        long begin = ticker.nanos();
        Lane ofClients = Lane.start("clients", () -> disturbClients(clients));
        Lane ofLeaders = Lane.start("leaders", () -> disturbLeaders(journal));
        Lane ofStore = Lane.start("store", () -> disturbStore(journal, begin));
        try {
            goOn(clients, own, begin);
        } finally {
            pause.end();
            ofClients.join();
            ofLeaders.join();
            ofStore.join();
        }
    }

    /** For the whole time, or until a promise is broken. */
    private void goOn(Clients clients, Path own, long begin) {
        if (!untilBroken) {
            pause.of(duration);
        }
        long end = begin + duration.toNanos();
        while (ticker.nanos() < end && !isBroken(clients, own)) {
            Duration left = Duration.ofNanos(Math.max(0, end - ticker.nanos()));
            pause.of(left.compareTo(BETWEEN_LOOKS) < 0 ? left : BETWEEN_LOOKS);
        }
    }

    /** Looked at twice. */
    private boolean isBroken(Clients clients, Path own) {
        if (violations(clients, own).isEmpty()) {
            return false;
        }
        pause.of(TO_BE_SURE);
        return !violations(clients, own).isEmpty();
    }

    private static List<Violation> violations(Clients clients, Path own) {
        List<Entry> entries = new ArrayList<>(clients.entries());
        entries.addAll(Journal.read(own));
        return verdict(History.of(entries)).violations();
    }

    private static Verdict verdict(History history) {
        return Verdict.of(history, Access.CALL_TIMEOUT, Access.CONNECT_TIMEOUT);
    }

    private void disturbClients(Clients clients) {
        Random random = new Random(seed + 1);
        while (!pause.isOver()) {
            pause.upTo(BETWEEN_CLIENT_FAULTS, random);
            if (!pause.isOver()) {
                clients.disturb();
            }
        }
    }

    private void disturbLeaders(Journal journal) {
        Random random = new Random(seed + 3);
        try (Deposer deposer = new Deposer(store.directAddress(), journal, random)) {
            while (!pause.isOver()) {
                pause.upTo(BETWEEN_DEPOSITIONS, random);
                if (!pause.isOver()) {
                    deposer.depose();
                }
            }
        }
    }

    private void disturbStore(Journal journal, long begin) {
        Random random = new Random(seed + 2);
        Duration beyondAfter = store.faultsBeyond().isEmpty()
                ? duration
                : duration.multipliedBy(3).dividedBy(4);
        boolean beyond = false;
        while (!pause.isOver()) {
            pause.upTo(BETWEEN_FAULTS, random);
            if (!beyond && ticker.nanos() - begin > beyondAfter.toNanos()) {
                beyond = true;
                journal.now(Kind.BEYOND, "campaign");
            }
            List<Fault> faults = beyond
                    ? Stream.concat(store.faults().stream(), store.faultsBeyond().stream())
                            .toList()
                    : store.faults();
            if (!pause.isOver()) {
                happen(faults.get(random.nextInt(faults.size())), random, journal);
            }
        }
    }

    private void happen(Fault fault, Random random, Journal journal) {
        // The word is written before the fault begins, so that no effect can be earlier than its cause.
        journal.now(Kind.FAULT, fault.name());
        try {
            Ongoing ongoing = fault.start().begin(random);
            pause.of(fault.shortest());
            pause.upTo(fault.longest().minus(fault.shortest()), random);
            ongoing.end().run();
            journal.now(Kind.HEALED, fault.name(), ongoing.detail());
        } catch (RuntimeException failure) {
            // A store in trouble may refuse what it is asked for, such as moving its leader.
            journal.now(
                    Kind.HEALED, fault.name(), "failed:" + failure.getClass().getSimpleName());
            store.heal();
        }
    }

    /**
     * Each lock can be had again by somebody new; then nothing is left at the store of those who have died; and then nothing of
     * the new one, which has released everything in good order, so that nothing has to expire.
     */
    private List<Violation> leftovers(Clients clients) {
        List<String> found = new ArrayList<>(clients.failures());
        takeAll(found);
        found.addAll(leftAfter(longEnough(), store::leftovers));
        if (found.isEmpty()) {
            found.addAll(leftByReleases());
        }
        return found.stream()
                .map(what -> new Violation(Promise.LEFTOVERS, ticker.nanos(), what, List.of()))
                .toList();
    }

    /** Several times, as a machine may stand still for so long that a release is not carried out in time. */
    private List<String> leftByReleases() {
        List<String> found = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            takeAll(found);
            List<String> left = leftAfter(store.lease().dividedBy(3), store::leftByReleases);
            if (left.isEmpty() || !found.isEmpty()) {
                return found;
            }
            if (round == ROUNDS - 1) {
                return left.stream()
                        .map(what -> what + " (of one who has released it)")
                        .toList();
            }
            leftAfter(longEnough(), store::leftovers);
        }
        return found;
    }

    private Duration longEnough() {
        return store.untilFree().plus(TO_BE_FREE);
    }

    private void takeAll(List<String> found) {
        try (Access access = Access.to(store.directAddress())) {
            LockClient locks = access.locks();
            for (int number = 0; number < Keys.LOCKS; number++) {
                takeAtOnce(1, locks, locks.request(Keys.lock(number)), found);
            }
            takeAtOnce(1, locks, locks.request(Keys.kept()), found);
            for (int number = 0; number < Keys.ROLES; number++) {
                takeAtOnce(1, locks, locks.request(Keys.role(number)), found);
            }
            takeAtOnce(Keys.PERMITS, locks, locks.request(Keys.permits()).withPermits(Keys.PERMITS), found);
        }
    }

    /** What is still there after this time at most. */
    private List<String> leftAfter(Duration time, Supplier<List<String>> left) {
        long deadline = ticker.nanos() + time.toNanos();
        List<String> keys = left.get();
        while (!keys.isEmpty() && ticker.nanos() < deadline) {
            new Pause().of(Duration.ofMillis(200));
            keys = left.get();
        }
        return keys;
    }

    private void takeAtOnce(int count, LockClient locks, LockRequest request, List<String> found) {
        LockRequest patient = request.withLeaseTime(store.lease()).withWaitTime(longEnough());
        List<HeldLock> taken = new ArrayList<>();
        try {
            for (int number = 0; number < count; number++) {
                taken.add(locks.acquire(patient));
            }
            taken.forEach(HeldLock::ensureHeld);
        } catch (LockException failure) {
            found.add("%s cannot be had again, %d times at once: %s".formatted(request.keys(), count, failure));
        } finally {
            taken.forEach(HeldLock::release);
        }
    }
}
