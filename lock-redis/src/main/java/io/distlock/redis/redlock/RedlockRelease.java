package io.distlock.redis.redlock;

import io.distlock.Release;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One release on all nodes; a majority decides. Nodes that have not answered by then, or may still get the lease, are
 * asked again in the background. {@link RedlockPhases} withdraws votes that come later (votedLate). Thread-safe.
 */
record RedlockRelease(RedlockNodes nodes, RedlockLease lease, Deadline kept) {

    static RedlockRelease of(RedlockNodes nodes, RedlockLease lease, Duration keepFor) {
        return new RedlockRelease(
                nodes, lease, Deadline.in(keepFor, nodes.runtime().ticker()));
    }

    /** Does not fail; may never end. */
    CompletionStage<Release> start() {
        lease.beginRelease();
        CompletableFuture<Release> outcome = new CompletableFuture<>();
        List<CompletionStage<Release>> asked = new ArrayList<>(Collections.nCopies(nodes.size(), outcome));
        int first = nodes.first(lease.key()).orElse(0);
        // Waiters ask that node first: it comes last, so that the others have freed the lock by then.
        for (int step = 1; step <= nodes.size(); step++) {
            int at = (first + step) % nodes.size();
            asked.set(at, ask(at));
        }
        lease.released(asked);
        AtomicReference<Tally> tally = new AtomicReference<>(Tally.of(nodes.quorum()));
        nodes.indexes()
                .forEach(at -> asked.get(at).thenAccept(release -> {
                    switch (tally.updateAndGet(before -> plus(before, release)).verdict()) {
                        case YES -> outcome.complete(Release.RELEASED);
                        case NO -> outcome.complete(Release.NOT_OWNER);
                        // The caller asks all nodes again.
                        case UNKNOWN -> outcome.complete(Release.UNKNOWN);
                        case OPEN -> {}
                    }
                    if (release == Release.UNKNOWN || lease.isLateOn(at)) {
                        outcome.thenAccept(decided -> askAgain(at, decided));
                    }
                }));
        return outcome;
    }

    private static Tally plus(Tally tally, Release release) {
        return switch (release) {
            case RELEASED -> tally.plusYes();
            case NOT_OWNER -> tally.plusNo();
            case UNKNOWN -> tally.plusUnknown();
        };
    }

    private CompletionStage<Release> ask(int node) {
        return nodes.get(node).release(lease.entry(), kept.remaining());
    }

    private void askAgain(int node, Release decided) {
        // A node that has been down long has nothing to release.
        if (decided != Release.UNKNOWN && !lease.isAbsentFrom(node)) {
            reap(node, lease.entry().renewedTimeToLive().plus(kept.remaining()));
        }
    }

    /** Releases it from one node in the background. */
    void reap(int node, Duration timeToLive) {
        String what = "The release of '" + lease.key() + "' by " + lease.owner();
        nodes.reap(what, nodes.get(node), timeToLive, () -> ask(node));
    }
}
