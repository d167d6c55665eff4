package io.distlock.redis.redlock;

import io.distlock.LockOptions;
import io.distlock.redis.connection.RedisCallException;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One round of renewals: each node gets its batches, and each lease is answered once a majority has answered. A lease
 * that a majority has lost is released. Nodes that have lost another get it again; they count from the next round on.
 * State is guarded by this object's monitor.
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

        /** For as long as the other nodes have it, or a dead holder's lock would be freed later. */
        RedisLease entry() {
            return lease.entry().lasting(lease.longest(timeToLive));
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
            if (after == Tally.Verdict.NO && !count.lease.isReleased()) {
                // A minority may still have it, or be about to get it.
                count.lease.release(nodes, Duration.ZERO);
            }
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
                .forEach(at -> RedisStore.inBatches(lostBy(at), lost -> {
                    List<RedlockLease> leases =
                            lost.stream().map(count -> count.lease).toList();
                    new Restoration(nodes, at, leases)
                            .restore(lost.stream().map(Count::entry).toList());
                }));
    }

    /** Excludes those that expired on all nodes if the round took that long. */
    private synchronized List<Count> lostBy(int node) {
        Duration passed = nodes.elapsed(since);
        return counts.values().stream()
                .filter(count -> count.lostBy.get(node) && passed.compareTo(count.timeToLive) < 0)
                .filter(count -> !count.lease.isReleased())
                .toList();
    }

    /**
     * Copies leases held by a majority to a node that refused, missed or lost them; otherwise one more fault could break the
     * lock. The node counts from the next renewal on: only a vote before the grant vouches for its fencing token.
     *
     * @param place node index
     */
    record Restoration(RedlockNodes nodes, int place, List<RedlockLease> leases) {

        /** By then the losers of a split vote have withdrawn, if the node is near. */
        private static final Duration FIRST_PAUSE = Duration.ofMillis(2);

        /** Asks soon after the grant, then after twice the pause each time, until the node has it or the lease is over. */
        void afterGrant(Moment since, LockOptions options) {
            askAfter(FIRST_PAUSE, since, options);
        }

        private void askAfter(Duration pause, Moment since, LockOptions options) {
            nodes.runtime().scheduler().schedule(() -> ask(pause, since, options), pause);
        }

        private void ask(Duration pause, Moment since, LockOptions options) {
            Duration passed = nodes.elapsed(since);
            RedlockLease lease = leases.get(0);
            if (!lease.isReleased() && passed.compareTo(options.leaseTime()) < 0) {
                // No longer than on the other nodes, or a dead holder's lock would be freed later.
                Duration left = options.timeToLive().minus(passed);
                restore(List.of(lease.entry().lasting(left))).thenAccept(restored -> {
                    if (!restored) {
                        askAfter(pause.multipliedBy(2), since, options);
                    }
                });
            }
        }

        /** Once. */
        CompletionStage<Boolean> restore(List<RedisLease> entries) {
            return nodes.get(place).restore(entries).handle((replies, failure) -> {
                boolean mayComeLate =
                        failure != null && RedisCallException.of(failure).mayBeApplied();
                boolean all = true;
                for (int at = 0; at < leases.size(); at++) {
                    boolean restored = replies != null && replies.get(at) == 1;
                    if (mayComeLate) {
                        leases.get(at).mayComeLateTo(place);
                    }
                    all &= restored;
                    if (restored || mayComeLate) {
                        mayStand(leases.get(at), entries.get(at));
                    }
                }
                return all;
            });
        }

        private void mayStand(RedlockLease lease, RedisLease entry) {
            lease.mayStandOn(place);
            if (lease.isReleased()) {
                // The release may have been sent before.
                lease.releaseLater(nodes, place, entry.renewedTimeToLive(), () -> Duration.ZERO);
            }
        }
    }
}
