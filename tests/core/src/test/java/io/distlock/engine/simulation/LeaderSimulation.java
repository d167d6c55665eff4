package io.distlock.engine.simulation;

import io.distlock.FencingToken;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Three processes that stand for one role for eight hours, in virtual time, while faults happen. What must be true is checked at each
 * grant of the store, at each election, and now and then.
 */
final class LeaderSimulation {

    private static final Duration TIME = Duration.ofHours(8);
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Until the callbacks of a process that goes on after a pause have run. */
    private static final long SETTLED = 100_000_000;

    /** Without faults of the network: the lease of a leader that dies, or the pause of the only candidate after it resigned. */
    private static final Duration LONGEST_VACANCY = LEASE.plusSeconds(6);

    private static final int SHOWN = 60;

    private final SimulatedFaults faults;
    private final VirtualTime time;
    private final SimulatedStore store;
    private final SimulatedNetwork network;
    private final List<Candidate> candidates = new ArrayList<>();
    private final Set<FencingToken> takenAway = new HashSet<>();
    private long lastToken;
    private long ledAt;
    private boolean ending;
    private int started;

    /** What happened in that time. */
    record Outcome(int terms, int expired, int lost, List<String> trace) {}

    private int terms;
    private int expired;
    private int lost;

    private LeaderSimulation(SimulatedFaults faults, long seed) {
        this.faults = faults;
        this.time = new VirtualTime(seed);
        this.store = new SimulatedStore(time);
        this.network = new SimulatedNetwork(time, faults, store);
        store.beforeGrant(next -> candidates.forEach(each -> each.requireRevoked("before a grant")));
    }

    static Outcome run(SimulatedFaults faults, long seed) {
        LeaderSimulation simulation = new LeaderSimulation(faults, seed);
        try {
            return simulation.run();
        } catch (RuntimeException | AssertionError violation) {
            List<String> trace = simulation.time.trace();
            String last = String.join("\n", trace.subList(Math.max(0, trace.size() - SHOWN), trace.size()));
            throw new AssertionError(
                    "faults: " + faults + ", seed: " + seed + ": " + violation.getMessage() + "\n" + last, violation);
        }
    }

    private final class Candidate implements LeaderListener {

        final SimulatedProcess process;
        final LeaderElection election;
        private @Nullable LeaderTerm term;
        private long settledAt;

        Candidate() {
            process = new SimulatedProcess("p" + ++started, time, network, (same, event) -> {});
            election = LeaderElectionBuilder.of(process.client, process.runtime, "role")
                    .leaseTime(LEASE)
                    .listener(this)
                    .build();
            election.stand();
        }

        @Override
        public void onElected(LeaderTerm next) {
            time.check(() -> {
                time.note(process.name, "is elected with token " + next.token());
                SimulationChecks.require(term == null, process + " is elected again before it was revoked");
                settledAt = Math.min(settledAt, time.nanos() + SETTLED);
                SimulationChecks.require(next.token().value() > lastToken, next + " comes after token " + lastToken);
                lastToken = next.token().value();
                term = next;
                terms++;
                candidates.stream()
                        .filter(other -> other != this)
                        .forEach(other -> other.requireRevoked("when " + process + " is elected"));
            });
        }

        @Override
        public void onRevoked(LeaderTerm last, Revocation reason) {
            time.check(() -> {
                time.note(process.name, "is revoked: " + reason);
                SimulationChecks.require(last.equals(term), last + " ends, which never began");
                SimulationChecks.require(!election.isLeader(), process + " still leads when it is revoked");
                term = null;
                expired += reason == Revocation.EXPIRED ? 1 : 0;
                lost += reason == Revocation.LOST ? 1 : 0;
                boolean harmed = reason == Revocation.EXPIRED || reason == Revocation.LOST;
                SimulationChecks.require(
                        !harmed || !faults.isCalm() || takenAway.contains(last.token()),
                        process + " is revoked without a fault: " + reason);
            });
        }

        /** Another is about to lead: this one does not, and has been told. One that stands still is judged at its next step. */
        void requireRevoked(String when) {
            if (!process.isRunning()) {
                return;
            }
            Optional<FencingToken> leads =
                    election.term().map(LeaderTerm::token).filter(token -> !takenAway.contains(token));
            SimulationChecks.require(leads.isEmpty(), process + " leads " + when);
            boolean settled = time.nanos() >= settledAt;
            LeaderTerm announced = term;
            SimulationChecks.require(
                    !settled || announced == null || takenAway.contains(announced.token()),
                    process + " has not been told of the end of " + announced + " " + when);
        }

        void pause(long nanos) {
            if (process.isRunning()) {
                boolean suspend = time.oneIn(3);
                // Its timers do not notice a suspension, and the runtime of a simulation does not look for it.
                settledAt = suspend ? Long.MAX_VALUE : time.nanos() + nanos + SETTLED;
                process.pause(nanos, suspend);
            }
        }
    }

    private Outcome run() {
        for (int number = 0; number < 3; number++) {
            candidates.add(new Candidate());
        }
        repeat(120_000, this::resign);
        repeat(300_000, this::withdraw);
        repeat(300_000, this::forceRelease);
        if (faults.cuts()) {
            repeat(60_000, () -> network.cut(time.oneOf(candidates).process, time.millis(10, 25_000)));
        }
        if (faults.pauses()) {
            repeat(60_000, () -> time.oneOf(candidates).pause(time.millis(10, 25_000)));
        }
        if (faults.ends()) {
            repeat(120_000, this::die);
        }
        if (faults.stalls()) {
            repeat(60_000, () -> network.stall(time.oneOf(candidates).process));
        }
        repeat(400, this::look);
        time.after(TIME.toNanos(), this::end);
        while (time.runNext() && time.nanos() < TIME.plusMinutes(2).toNanos()) {
            // On to the next event.
        }
        SimulationChecks.require(leaders() == 1, leaders() + " lead two minutes after the last fault");
        return new Outcome(terms, expired, lost, time.trace());
    }

    private void repeat(long millis, Runnable action) {
        time.after(time.millis(0, 2 * millis), () -> {
            if (!ending) {
                action.run();
                repeat(millis, action);
            }
        });
    }

    private void resign() {
        leader().filter(each -> each.process.isRunning()).ifPresent(each -> each.election.resign());
    }

    private void withdraw() {
        Candidate candidate = time.oneOf(candidates);
        if (candidate.process.isRunning()) {
            candidate.election.withdraw();
            time.after(time.millis(0, 5_000), () -> candidate.process.run(candidate.election::stand));
        }
    }

    private void die() {
        Candidate candidate = time.oneOf(candidates);
        if (candidate.process.isRunning()) {
            candidate.process.die();
            candidates.remove(candidate);
            candidates.add(new Candidate());
        }
    }

    /** By an operator at another process. */
    private void forceRelease() {
        leader().ifPresent(leader -> {
            FencingToken token = Objects.requireNonNull(leader.term).token();
            takenAway.add(token);
            time.note("operator", "takes the lock of token " + token + " away");
            time.oneOf(candidates).process.provider.forceRelease(leader.election.key(), token);
        });
    }

    private Optional<Candidate> leader() {
        return candidates.stream().filter(each -> each.term != null).findFirst();
    }

    private long leaders() {
        return candidates.stream()
                .filter(each -> each.process.isRunning())
                .filter(each -> each.election
                        .term()
                        .filter(led -> !takenAway.contains(led.token()))
                        .isPresent())
                .count();
    }

    private void look() {
        long leaders = leaders();
        SimulationChecks.require(leaders <= 1, leaders + " lead at the same time");
        boolean reachable = !faults.cuts() && !faults.pauses() && !faults.stalls() && faults.lost() == 0;
        if (leaders == 1 || !reachable) {
            ledAt = time.nanos();
        }
        SimulationChecks.require(
                time.nanos() - ledAt <= LONGEST_VACANCY.toNanos(), "nobody has led for " + LONGEST_VACANCY);
    }

    private void end() {
        time.note("all", "faults end");
        ending = true;
        network.heal();
    }
}
