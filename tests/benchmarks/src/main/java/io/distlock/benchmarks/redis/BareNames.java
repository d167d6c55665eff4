package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contender;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** What stands in Redis for one item, made beforehand, and the arguments that all items have. */
final class BareNames {

    static final String TIME_TO_LIVE_MILLIS = "30000";
    static final String WAIT_MILLIS = "5000";
    static final String FREE_NOW = "0";

    private static final String OWNER = "0123456789abcdef0123456789abcdef-";
    private static final int RADIX = 36;
    private static final AtomicLong OWNERS = new AtomicLong();

    final String[] toAcquire;
    final String[] toAcquireOnANode;
    final String[] toRelease;
    final String channel;
    final String slot;

    private BareNames(int item) {
        String tag = "bench:" + item;
        String lock = "bare:{" + tag + '}';
        String waiting = lock + ":waiting";
        this.slot = Integer.toString(SlotHash.getSlot(tag));
        String fence = "bare:fence:{" + slot + '}';
        this.toAcquire = new String[] {lock, lock + ":readers", waiting, fence};
        this.toAcquireOnANode = new String[] {lock, lock + ":readers", waiting, "bare:fence"};
        this.toRelease = new String[] {lock, waiting};
        this.channel = lock + ":released";
    }

    /** Of all items, in their order. */
    static List<BareNames> all() {
        return IntStream.range(0, Contender.ITEMS).mapToObj(BareNames::new).toList();
    }

    /** Another one each time. */
    static String nextOwner() {
        return OWNER + Long.toString(OWNERS.incrementAndGet(), RADIX);
    }
}
