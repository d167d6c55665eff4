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

/**
 * One release on all nodes; a majority decides. Nodes that have not answered by then, or may still get the lease, are
 * asked again in the background. {@link RedlockPhases} withdraws votes that come later (votedLate). State is guarded by
 * this object's monitor.
 */
final class RedlockRelease {

    private final RedlockNodes nodes;
    private final RedlockLease lease;
    private final Deadline kept;
    private final CompletableFuture<Release> outcome = new CompletableFuture<>();
    private Tally tally;

    RedlockRelease(RedlockNodes nodes, RedlockLease lease, Duration keepFor) {
        this.nodes = nodes;
        this.lease = lease;
        this.kept = Deadline.in(keepFor, nodes.runtime().ticker());
        this.tally = Tally.of(nodes.quorum());
    }

    /** Does not fail; may never end. */
    CompletionStage<Release> start() {
        lease.beginRelease();
        List<CompletionStage<Release>> asked = new ArrayList<>(Collections.nCopies(nodes.size(), outcome));
        int first = nodes.first(lease.key()).orElse(0);
        // Waiters ask that node first: it comes last, so that the others have freed the lock by then.
        for (int step = 1; step <= nodes.size(); step++) {
            int at = (first + step) % nodes.size();
            asked.set(at, release(nodes.get(at)));
        }
        lease.released(asked);
        nodes.indexes().forEach(at -> asked.get(at).thenAccept(release -> answered(at, release)));
        return outcome;
    }

    private CompletionStage<Release> release(RedlockNode node) {
        return node.release(lease.entry(), kept.remaining());
    }

    private void answered(int node, Release release) {
        Tally.Verdict verdict;
        synchronized (this) {
            tally = switch (release) {
                case RELEASED -> tally.plusYes();
                case NOT_OWNER -> tally.plusNo();
                case UNKNOWN -> tally.plusUnknown();
            };
            verdict = tally.verdict();
        }
        switch (verdict) {
            case YES -> outcome.complete(Release.RELEASED);
            case NO -> outcome.complete(Release.NOT_OWNER);
            // The caller asks all nodes again.
            case UNKNOWN -> outcome.complete(Release.UNKNOWN);
            case OPEN -> {}
        }
        if (release == Release.UNKNOWN || lease.isLateOn(node)) {
            outcome.thenAccept(decided -> reap(node, decided));
        }
    }

    private void reap(int node, Release decided) {
        // A node that has been down long has nothing to release.
        if (decided != Release.UNKNOWN && !lease.isAbsentFrom(node)) {
            nodes.reap(
                    "The release of '" + lease.key() + "' by " + lease.owner(),
                    nodes.get(node),
                    lease.entry().renewedTimeToLive().plus(kept.remaining()),
                    () -> release(nodes.get(node)));
        }
    }
}
