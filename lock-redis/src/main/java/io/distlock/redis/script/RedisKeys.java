package io.distlock.redis.script;

import io.distlock.LockKey;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;

/**
 * Makes the names of all keys and channels. No other class does.
 *
 * <p>The encoded lock key is the hash tag, and holds no brace, so all names of a lock share a slot. Fencing counters
 * exist once per slot, or once on a node of Redlock, however many locks there are, so that none has to expire.
 */
public record RedisKeys(String prefix, int database) {

    public Names of(LockKey key) {
        String tag = key.text();
        int slot = SlotHash.getSlot(tag.getBytes(StandardCharsets.UTF_8));
        return new Names(this, prefix + ":{" + tag + '}', slot);
    }

    /** The fencing counter of a server outside any cluster. */
    public String fence() {
        return prefix + ":fence";
    }

    /**
     * The names of one lock.
     *
     * @param lock taken exclusively: {@code owner:token}
     * @param slot of all of them, in a cluster
     */
    public record Names(RedisKeys keys, String lock, int slot) {

        /** Taken shared: a sorted set of {@code owner:token} by expiry. */
        public String readers() {
            return lock + ":readers";
        }

        /** The writer that readers must let pass. */
        String waiting() {
            return lock + ":waiting";
        }

        /** Where releases are announced. Messages reach all databases, so the name says which one they are about. */
        String channel() {
            return lock + (keys.database == 0 ? ":released" : ":released:" + keys.database);
        }

        /** The fencing counter of the slot. */
        String fence() {
            return keys.prefix + ":fence:{" + FenceTags.of(slot) + '}';
        }
    }

    /**
     * A hash tag for each slot of a Redis Cluster: the smallest number that falls into the slot, in base 36. Never change
     * these, or fencing counters are lost. Made when first used; takes about 20 ms.
     */
    static final class FenceTags {

        private static final String[] TAGS = new String[SlotHash.SLOT_COUNT];

        static {
            int missing = TAGS.length;
            for (int number = 0; missing > 0; number++) {
                String tag = Integer.toString(number, Character.MAX_RADIX);
                int slot = SlotHash.getSlot(tag);
                if (TAGS[slot] == null) {
                    TAGS[slot] = tag;
                    missing--;
                }
            }
        }

        private FenceTags() {}

        static String of(int slot) {
            return TAGS[slot];
        }
    }
}
