package io.distlock.redis;

import io.lettuce.core.cluster.SlotHash;

/**
 * A hash tag for each of the 16,384 slots of a Redis Cluster: the smallest number that falls into the slot, in base
 * 36. Never to be changed, or fencing counters would be lost.
 */
final class FenceTags {

    private static final int RADIX = 36;

    private FenceTags() {}

    static String of(int slot) {
        return Table.TAGS[slot];
    }

    /** Made when first used; takes some 20 ms. */
    private static final class Table {

        static final String[] TAGS = new String[SlotHash.SLOT_COUNT];

        static {
            int missing = TAGS.length;
            for (int number = 0; missing > 0; number++) {
                String tag = Integer.toString(number, RADIX);
                int slot = SlotHash.getSlot(tag);
                if (TAGS[slot] == null) {
                    TAGS[slot] = tag;
                    missing--;
                }
            }
        }
    }
}
