package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.redis.script.RedisLease;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.Ticker;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One grant by a majority. Nodes have the same entry, except those that never got it or still have the token that they
 * proposed. State is guarded by this object's monitor unless it is volatile.
 */
final class RedlockLease implements Lease {

    /** Who asked; the entry's owner also names the try that succeeded. */
    private final String owner;

    private final RedisLease entry;
    /** How long the nodes have been asked to keep it, if it was extended. */
    private volatile @Nullable Deadline extended;

    private volatile @Nullable CompletableFuture<List<CompletionStage<Release>>> releases;
    /** One bit for each node. */
    private BigInteger absent = BigInteger.ZERO;

    private BigInteger late = BigInteger.ZERO;

    RedlockLease(String owner, RedisLease entry) {
        this.owner = owner;
        this.entry = entry;
    }

    RedisLease entry() {
        return entry;
    }

    synchronized RedisLease extend(Duration time, Ticker ticker) {
        extended = Deadline.in(longest(time), ticker);
        return entry.lasting(time);
    }

    /** How long nodes that were just asked for this time keep it: an extension before may last longer. */
    Duration longest(Duration time) {
        Deadline until = extended;
        return until == null || until.remaining().compareTo(time) < 0 ? time : until.remaining();
    }

    /** From now on no node gets the lock again. */
    synchronized void beginRelease() {
        if (releases == null) {
            releases = new CompletableFuture<>();
        }
    }

    boolean isReleased() {
        return releases != null;
    }

    /**
     * Releases it on all nodes; a majority decides. Nodes that have not answered by then, or may still get it, are asked
     * again in the background. {@link RedlockAcquirePhases} withdraws votes that come later (votedLate). Does not fail; may never
     * end.
     */
    CompletionStage<Release> release(RedlockNodes nodes, Duration keepFor) {
        beginRelease();
        Deadline kept = Deadline.in(keepFor, nodes.runtime().ticker());
        CompletableFuture<Release> outcome = new CompletableFuture<>();
        List<CompletionStage<Release>> asked = new ArrayList<>();
        nodes.all().forEach(node -> asked.add(node.release(entry, kept.remaining())));
        Objects.requireNonNull(releases).complete(asked);
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
                    if (release == Release.UNKNOWN || isLateOn(at)) {
                        outcome.thenAccept(decided -> releaseAgain(nodes, at, decided, kept));
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

    private void releaseAgain(RedlockNodes nodes, int node, Release decided, Deadline kept) {
        // A node that has been down long has nothing to release.
        if (decided != Release.UNKNOWN && !isAbsentFrom(node)) {
            releaseLater(nodes, node, longest(entry.renewedTimeToLive()).plus(kept.remaining()), kept::remaining);
        }
    }

    /** Releases it on one node in the background, where it may be there for no longer than this. */
    void releaseLater(RedlockNodes nodes, int node, Duration timeToLive, Supplier<Duration> keepFor) {
        String what = "The release of '" + key() + "' by " + owner;
        RedlockNode at = nodes.get(node);
        nodes.reap(what, at, timeToLive, () -> at.release(entry, keepFor.get()));
    }

    /** Whether its release finds it on a node. */
    CompletionStage<Release> releaseOn(int node) {
        return Objects.requireNonNull(releases).thenCompose(asked -> asked.get(node));
    }

    /** The node has certainly not granted it. */
    synchronized void absentFrom(int node) {
        absent = absent.setBit(node);
    }

    /** The node may get it. */
    synchronized void mayStandOn(int node) {
        absent = absent.clearBit(node);
    }

    synchronized boolean isAbsentFrom(int node) {
        return absent.testBit(node);
    }

    /** A call that was cut off may still reach the node and put it there after the release. */
    synchronized void mayComeLateTo(int node) {
        late = late.setBit(node);
    }

    synchronized boolean isLateOn(int node) {
        return late.testBit(node);
    }

    @Override
    public LockKey key() {
        return entry.key();
    }

    @Override
    public LockMode mode() {
        return entry.mode();
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public FencingToken token() {
        return entry.token();
    }

    @Override
    public String toString() {
        return entry.toString();
    }
}
