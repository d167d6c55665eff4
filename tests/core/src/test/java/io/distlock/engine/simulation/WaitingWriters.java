package io.distlock.engine.simulation;

import io.distlock.LockKey;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The exclusive requests at the store, and their claims: while messages arrive in time, a writer that waits for readers has a
 * claim, its own or another's, that lets no more of them in. A claim ends with its writer or, if its process dies, some seconds
 * later.
 */
final class WaitingWriters {

    /** Some round trips. */
    private static final Duration SOON = Duration.ofMillis(150);

    private final VirtualTime time;
    private final SimulatedStore store;
    private final Map<String, Writer> writers = new HashMap<>();
    private final Set<Writer> waiting = new LinkedHashSet<>();
    private final Map<LockKey, Long> unclaimedSince = new TreeMap<>();

    private static final class Writer {

        final SimulatedProcess process;
        final LeaseRequest request;
        long endedAt = Long.MAX_VALUE;
        long deadSince = Long.MAX_VALUE;

        Writer(SimulatedProcess process, LeaseRequest request) {
            this.process = process;
            this.request = request;
        }

        boolean waitsFor(LockKey key) {
            return request.key().equals(key)
                    && !process.isDead()
                    && !request.deadline().hasPassed();
        }
    }

    WaitingWriters(VirtualTime time, SimulatedStore store) {
        this.time = time;
        this.store = store;
    }

    void watch(SimulatedProcess process, LeaseRequest request, CompletableFuture<Optional<Grant>> acquisition) {
        Writer writer = new Writer(process, request);
        writers.put(request.owner(), writer);
        waiting.add(writer);
        acquisition.whenComplete((grant, failure) -> {
            writer.endedAt = time.nanos();
            waiting.remove(writer);
        });
    }

    void look(LockKey key) {
        Optional<String> claimant = store.claimant(key);
        claimant.map(writers::get).ifPresent(writer -> requireClaimEnded(key, writer));
        boolean unclaimed = claimant.isEmpty()
                && store.isHeldByReaders(key)
                && waiting.stream().anyMatch(writer -> writer.waitsFor(key));
        if (unclaimed) {
            long since = unclaimedSince.computeIfAbsent(key, start -> time.nanos());
            SimulationChecks.require(
                    time.nanos() - since <= SOON.toNanos(), "readers may overtake a writer that waits for " + key);
        } else {
            unclaimedSince.remove(key);
        }
    }

    private void requireClaimEnded(LockKey key, Writer writer) {
        long lately = time.nanos() - SOON.toNanos();
        if (writer.process.isDead()) {
            writer.deadSince = Math.min(writer.deadSince, time.nanos());
            lately -= SimulatedProvider.CLAIM.toNanos();
        }
        SimulationChecks.require(
                lately <= Math.min(writer.endedAt, writer.deadSince),
                "readers of " + key + " let a writer pass that has gone: " + writer.request.owner());
    }
}
