package io.distlock.redis.redlock;

import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.redis.script.RedisLease;
import io.distlock.redis.script.RedisStore;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One round of renewals: each node gets its batches, and each lease is answered once a majority has answered. Then
 * nodes that have lost a lease get it again unless a majority has lost it; they count from the next round on. State is
 * guarded by this object's monitor.
 */
final class RedlockRenewal {

    private final RedlockNodes nodes;
    private final Renewal.Answers answers;
    private final IdentityHashMap<Lease, Count> counts = new IdentityHashMap<>();
    private final Moment since;
    private final CompletableFuture<Void> complete = new CompletableFuture<>();
    private int missing;

    /** @param asked what a lease's entry is to be: others may extend it meanwhile */
    RedlockRenewal(
            RedlockNodes nodes,
            Collection<Lease> renewed,
            Function<RedlockLease, RedisLease> asked,
            Renewal.Answers answers) {
        this.nodes = nodes;
        this.since = nodes.runtime().ticker().now();
        this.answers = answers;
        for (Lease each : renewed) {
            RedlockLease lease = (RedlockLease) each;
            RedisLease entry = asked.apply(lease);
            counts.put(entry, new Count(lease, entry.renewedTimeToLive(), Tally.of(nodes.quorum())));
        }
        this.missing = counts.size() * nodes.size();
    }

    /** What the nodes have said about one lease, and which have lost it. */
    private static final class Count {

        private final RedlockLease lease;
        private final Duration timeToLive;
        private final BitSet lostBy = new BitSet();
        private Tally tally;

        Count(RedlockLease lease, Duration timeToLive, Tally tally) {
            this.lease = lease;
            this.timeToLive = timeToLive;
            this.tally = tally;
        }
    }

    void start() {
        // A silent node must not delay the restoration of the others.
        nodes.runtime().timeouts().within(nodes.callTimeout(), complete).whenComplete((done, late) -> mend());
        List<Lease> entries = List.copyOf(counts.keySet());
        nodes.indexes().forEach(at -> nodes.get(at).renew(entries, (entry, renewal) -> answered(at, entry, renewal)));
    }

    private void answered(int node, Lease entry, Renewal renewal) {
        Count count = Objects.requireNonNull(counts.get(entry));
        Tally.Verdict before;
        Tally.Verdict after;
        boolean last;
        synchronized (this) {
            before = count.tally.verdict();
            count.tally = switch (renewal) {
                case RENEWED -> count.tally.plusYes();
                case NOT_OWNER -> count.tally.plusNo();
                case UNKNOWN -> count.tally.plusUnknown();
            };
            after = count.tally.verdict();
            count.lostBy.set(node, renewal == Renewal.NOT_OWNER);
            last = --missing == 0;
        }
        if (before == Tally.Verdict.OPEN && after != Tally.Verdict.OPEN) {
            answers.answer(count.lease, meaning(after));
        }
        if (last) {
            complete.complete(null);
        }
    }

    private Renewal meaning(Tally.Verdict verdict) {
        return switch (verdict) {
            // Two of the votes may be from one server.
            case YES -> nodes.runIds().clash().isPresent() ? Renewal.UNKNOWN : Renewal.RENEWED;
            case NO -> Renewal.NOT_OWNER;
            case UNKNOWN, OPEN -> Renewal.UNKNOWN;
        };
    }

    private void mend() {
        nodes.indexes()
                .forEach(at -> RedisStore.inBatches(
                        lostBy(at), lost -> new RedlockRestoration(nodes, at, lost).afterRenewal()));
    }

    /** Excludes those that expired on all nodes if the round took that long. */
    private synchronized List<RedlockLease> lostBy(int node) {
        Duration passed = nodes.elapsed(since);
        return counts.values().stream()
                .filter(count -> count.lostBy.get(node) && count.tally.verdict() != Tally.Verdict.NO)
                .filter(count -> passed.compareTo(count.timeToLive) < 0)
                .map(count -> count.lease)
                .filter(lease -> !lease.isReleased())
                .toList();
    }
}
