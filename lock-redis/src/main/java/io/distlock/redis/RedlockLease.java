package io.distlock.redis;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;

/**
 * One grant by a majority. Its entry is the same on all nodes, but for nodes on which it still stands under the token that
 * they proposed.
 */
final class RedlockLease implements Lease {

    private final String owner;
    private final RedisLease entry;
    private volatile boolean givenBack;

    /**
     * @param owner who asked; the entry's names the try that succeeded, too
     */
    RedlockLease(String owner, RedisLease entry) {
        this.owner = owner;
        this.entry = entry;
    }

    RedisLease entry() {
        return entry;
    }

    /** From now on, no node that has lost the lock must get it again. */
    void giveBack() {
        givenBack = true;
    }

    boolean isGivenBack() {
        return givenBack;
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
