package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.redis.script.RedisLease;
import io.distlock.spi.Lease;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One grant by a majority. Nodes have the same entry, except those that never got it or still have the token that they
 * proposed. State is guarded by this object's monitor unless it is volatile.
 */
final class RedlockLease implements Lease {

    /** Who asked; the entry's owner also names the try that succeeded. */
    private final String owner;

    private volatile RedisLease entry;
    private volatile @Nullable CompletableFuture<List<CompletionStage<Release>>> releases;
    /** One bit for each node. */
    private BigInteger absent = BigInteger.ZERO;

    private BigInteger late = BigInteger.ZERO;

    RedlockLease(String owner, RedisLease entry) {
        this.owner = owner;
        this.entry = entry;
    }

    /** Its time to live is the longest that a node was ever asked for, since a node may have it for that long. */
    RedisLease entry() {
        return entry;
    }

    /** The entry for an extension. */
    synchronized RedisLease lasting(Duration time) {
        RedisLease extended = entry.lasting(time);
        entry = time.compareTo(entry.renewedTimeToLive()) > 0 ? extended : entry;
        return extended;
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

    /** The nodes' replies to its first release, in node order. */
    void released(List<CompletionStage<Release>> asked) {
        Objects.requireNonNull(releases).complete(asked);
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
