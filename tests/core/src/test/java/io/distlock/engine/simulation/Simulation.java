package io.distlock.engine.simulation;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.distlock.engine.SimulatedClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A random history of the lock engine in virtual time: a store, a network with faults, and some processes whose users lock and
 * release the same few keys. The checks look on; at the end all faults are mended, all locks are released, and nothing may be
 * left.
 */
final class Simulation {

    private static final long ACTIVE = Duration.ofSeconds(15).toNanos();
    private static final long LIMIT = Duration.ofMinutes(5).toNanos();
    private static final List<LockKey> KEYS = List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));
    private static final int SHOWN = 60;

    static final int MOST_PERMITS = 3;

    private final SimulatedFaults faults;
    private final VirtualTime time;
    private final SimulatedStore store;
    private final SimulatedNetwork network;
    private final SimulationChecks checks;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private int calls;
    private boolean ending;

    private Simulation(SimulatedFaults faults, long seed) {
        this.faults = faults;
        this.time = new VirtualTime(seed);
        this.store = new SimulatedStore(time);
        this.checks = new SimulationChecks(time, faults, processes, store);
        store.beforeGrant(checks::beforeGrant);
        this.network = new SimulatedNetwork(time, faults, store);
    }

    /** The history of a seed: each event with its time. */
    static List<String> trace(SimulatedFaults faults, long seed) {
        return run(faults, seed).trace();
    }

    static VirtualTime run(SimulatedFaults faults, long seed) {
        Simulation simulation = new Simulation(faults, seed);
        try {
            simulation.run();
        } catch (RuntimeException | AssertionError violation) {
            List<String> trace = simulation.time.trace();
            String last = String.join("\n", trace.subList(Math.max(0, trace.size() - SHOWN), trace.size()));
            throw new AssertionError(
                    "faults: " + faults + ", seed: " + seed + ": " + violation.getMessage() + "\n" + last, violation);
        }
        return simulation.time;
    }

    private void run() {
        for (int number = 0; number < 3; number++) {
            startProcess();
        }
        repeat(faults.isQuiet() ? 2_000 : faults.crowds() ? 400 : 120, this::ask);
        repeat(3_000, this::forceRelease);
        if (faults.cuts()) {
            repeat(800, () -> network.cut(time.oneOf(processes), time.millis(10, 1_500)));
        }
        if (faults.pauses()) {
            repeat(2_000, () -> time.oneOf(processes).pause(time.millis(10, 4_000), time.oneIn(3)));
        }
        if (faults.ends()) {
            repeat(faults.isQuiet() ? 12_000 : 4_000, this::endProcess);
        }
        if (faults.stalls()) {
            repeat(1_500, () -> network.stall(time.oneOf(processes)));
        }
        if (faults.holds()) {
            repeat(1_500, () -> network.hold(time.oneOf(processes), time.millis(10, 4_000)));
        }
        if (faults.isReliable()) {
            repeat(faults.crowds() ? 25 : 50, () -> KEYS.forEach(network.writers::look));
        }
        long between = !faults.isCalm() ? 200 : faults.crowds() ? 50 : 10;
        repeat(between, () -> KEYS.forEach(checks::look));
        repeat(between, () -> KEYS.forEach(checks::lookAtPermits));
        time.after(faults.isQuiet() ? 12 * ACTIVE : faults.crowds() ? 4 * ACTIVE : ACTIVE, this::end);
        while (time.runNext()) {
            if (time.nanos() > LIMIT) {
                throw new AssertionError("it never comes to rest");
            }
        }
        checks.end();
    }

    /** On average once in so many milliseconds. */
    private void repeat(long millis, Runnable action) {
        time.after(time.millis(0, 2 * millis), () -> {
            if (!ending) {
                action.run();
                repeat(millis, action);
            }
        });
    }

    private void startProcess() {
        String name = "p" + (processes.size() + 1);
        SimulatedProcess process = new SimulatedProcess(name, time, network, checks::event);
        if (time.oneIn(2)) {
            process.client.addRequestListener(request -> checks.watch(process));
        }
        processes.add(process);
    }

    private void endProcess() {
        List<SimulatedProcess> waiting = processes.stream()
                .filter(each ->
                        !each.isDead() && each.client.waiting().findAny().isPresent())
                .toList();
        SimulatedProcess process = time.oneOf(waiting.isEmpty() ? processes : waiting);
        if (process.isRunning() && !process.isClosed()) {
            if (time.oneIn(2)) {
                process.die();
            } else {
                process.closeClient();
            }
            startProcess();
        }
    }

    private void ask() {
        List<SimulatedProcess> running = processes.stream()
                .filter(each -> each.isRunning() && (!each.isClosed() || time.oneIn(10)))
                .toList();
        if (!running.isEmpty()) {
            SimulatedProcess process = time.oneOf(running);
            SimulatedCall call = new SimulatedCall("#" + ++calls, process, request(), time, checks);
            checks.asks(call);
            call.start();
        }
    }

    private LockRequest request() {
        List<LockKey> keys = new ArrayList<>(List.of(time.oneOf(KEYS)));
        if (time.oneIn(5)) {
            keys.addAll(List.of(time.oneOf(KEYS), time.oneOf(KEYS)));
        }
        LockMode mode = faults.crowds()
                ? time.oneIn(4) ? LockMode.EXCLUSIVE : LockMode.SHARED
                : time.oneIn(faults.isQuiet() ? 2 : 3) ? LockMode.SHARED : LockMode.EXCLUSIVE;
        LockRequest request = LockRequest.of(options(keys), keys).withMode(mode);
        // Never the same number for long, as when it is changed in a rolling deployment.
        boolean any = request.keys().size() == 1 && mode == LockMode.EXCLUSIVE && time.oneIn(2);
        return any ? request.withPermits(1 + time.random.nextInt(MOST_PERMITS)) : request;
    }

    private LockOptions options(List<LockKey> keys) {
        boolean renew = time.oneIn(2);
        // A long one, so that a grant without a holder is still there in the end.
        Duration lease = Duration.ofNanos(time.millis(renew ? 300 : 100, isLong(8) ? 60_000 : 4_000));
        Duration most = renew && time.oneIn(4) ? lease.plusNanos(time.millis(0, 1_000)) : Duration.ofMinutes(1);
        return new LockOptions(
                time.oneIn(4) ? Duration.ZERO : Duration.ofNanos(time.millis(1, isLong(8) ? 40_000 : 4_000)),
                lease,
                renew,
                most,
                time.oneIn(6) ? Duration.ofNanos(time.millis(1, 300)) : Duration.ZERO,
                keys.stream().allMatch(Simulation::isDelayed) ? Duration.ofNanos(time.millis(0, 500)) : Duration.ZERO);
    }

    private boolean isLong(int once) {
        return faults.isQuiet() || time.oneIn(faults.crowds() ? 2 : once);
    }

    /** Whether locks on this key alone have a lock-delay. */
    static boolean isDelayed(LockKey key) {
        return key.name().equals("c");
    }

    /** As {@link LockClient#forceRelease}, without waiting for the answer. */
    private void forceRelease() {
        SimulatedProcess operator = time.oneOf(processes);
        if (checks.holders().isEmpty() || !operator.isRunning()) {
            return;
        }
        Sequencer victim = time.oneOf(time.oneOf(checks.holders()).sequencers());
        time.note(operator.name, "forces the release of " + victim);
        var here = operator.heldLocks().stream()
                .filter(lock -> lock.sequencers().contains(victim))
                .toList();
        checks.forced(victim, here.isEmpty());
        if (here.isEmpty()) {
            operator.provider.forceRelease(victim.key(), victim.token());
        } else {
            SimulatedClient.forceRelease(here.get(0));
        }
    }

    private void end() {
        time.note("all", "faults end, and locks are released");
        ending = true;
        network.heal();
        for (SimulatedCall holder : List.copyOf(checks.holders())) {
            holder.process.run(holder::release);
        }
    }
}
