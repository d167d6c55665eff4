package io.distlock.redis;

import io.distlock.LockKey;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;

/**
 * Makes the names of all keys and channels; nobody else does.
 *
 * <p>The encoded lock key is the hash tag, and holds no brace, so all names of a lock share a slot. Fencing counters
 * are one for each slot, however many locks there are, so that none has to expire.
 */
final class RedisKeys {

    private final String prefix;
    private final String channelSuffix;

    /**
     * @param database published messages reach all databases, so the channel must tell them apart
     */
    RedisKeys(String prefix, int database) {
        this.prefix = prefix;
        this.channelSuffix = database == 0 ? ":released" : ":released:" + database;
    }

    /** The names that belong to one lock. */
    Names of(LockKey key) {
        String tag = key.text();
        String lock = prefix + ":{" + tag + '}';
        int slot = SlotHash.getSlot(tag.getBytes(StandardCharsets.UTF_8));
        return new Names(
                lock,
                lock + ":readers",
                lock + ":waiting",
                lock + channelSuffix,
                prefix + ":fence:{" + FenceTags.of(slot) + '}',
                slot);
    }

    /** The least that a fencing token may be, set when a server is admitted after a restart. */
    String fenceBase() {
        return prefix + ":fence:base";
    }

    /**
     * @param lock taken exclusively: {@code owner:token}
     * @param readers taken shared: a sorted set of {@code owner:token} by expiry
     * @param waiting the writer that readers have to let pass
     * @param channel where releases are announced
     * @param fence the fencing counter of the slot
     * @param slot the slot of all of them, in a cluster
     */
    record Names(String lock, String readers, String waiting, String channel, String fence, int slot) {

        /** The same, for a release that concerns nobody. */
        Names withoutChannel() {
            return new Names(lock, readers, waiting, "", fence, slot);
        }
    }
}
