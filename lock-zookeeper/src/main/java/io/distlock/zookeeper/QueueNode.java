package io.distlock.zookeeper;

import io.distlock.LockMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node in a lock's queue, ours or one of Curator's recipes. Its name is {@code _c_}, an id, a label and the number that the
 * server gave it; Curator, too, takes all that ends in a number for a member of the queue. A lock that is kept for the rest of
 * its minimum hold time is held by a node that says so in its id, and has the number of the one that was released.
 *
 * @param number wraps around after two billions, as the server's own counter does, which is written in ten characters or more,
 *     the sign included
 */
record QueueNode(String name, int number, LockMode mode) {

    /** What Curator's {@code withProtection()} writes before the id. */
    private static final String PROTECTED = "_c_";

    private static final Pattern MEMBER = Pattern.compile("(.*?(?:-|__))(-\\d{9,10}|\\d{10})");
    private static final Pattern KEPT = Pattern.compile(PROTECTED + "kept\\.(\\d{1,12})\\..*");

    static Optional<QueueNode> of(String name) {
        Matcher parts = MEMBER.matcher(name);
        return parts.matches()
                ? Optional.of(new QueueNode(name, (int) Long.parseLong(parts.group(2)), ZooKeeperLayout.mode(name)))
                : Optional.empty();
    }

    /** A lock's queue, first come first. */
    static List<QueueNode> queue(Collection<String> children) {
        List<QueueNode> queue = new ArrayList<>();
        children.forEach(each -> of(each).ifPresent(queue::add));
        // The difference, since the number wraps around.
        queue.sort((one, other) -> one.number - other.number);
        return queue;
    }

    /** Those that hold the lock: the first; if it is shared, all up to the first exclusive one. */
    static List<QueueNode> holders(List<QueueNode> queue) {
        List<QueueNode> shared =
                queue.stream().takeWhile(each -> each.mode == LockMode.SHARED).toList();
        return shared.isEmpty() ? queue.stream().limit(1).toList() : shared;
    }

    /** The one that this one waits for: the last one before it; if it is shared, the last exclusive one. */
    Optional<QueueNode> predecessor(List<QueueNode> queue) {
        return queue.stream()
                .filter(each -> each.number - number < 0)
                .filter(each -> mode == LockMode.EXCLUSIVE || each.mode == LockMode.EXCLUSIVE)
                .max(Comparator.comparingInt(each -> each.number - number));
    }

    /** The beginning of the name, which the server completes. */
    static String prefix(String id, ZooKeeperLayout layout, LockMode mode) {
        return PROTECTED + id + '-' + layout.label(mode);
    }

    static boolean hasId(String name, String id) {
        return name.startsWith(PROTECTED + id + '-');
    }

    /** The name under which its lock is kept for this long. */
    String kept(Duration time) {
        return PROTECTED + "kept." + time.toMillis() + '.' + name.substring(PROTECTED.length());
    }

    /** How long its lock is kept from its creation on, if it is only kept. */
    Optional<Duration> keptFor() {
        Matcher kept = KEPT.matcher(name);
        return kept.matches() ? Optional.of(Duration.ofMillis(Long.parseLong(kept.group(1)))) : Optional.empty();
    }
}
