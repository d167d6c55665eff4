package io.distlock.zookeeper;

import io.distlock.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * All paths. A lock is a node {@code /prefix/name}, below which each holder and waiter has one.
 *
 * @param prefix without a slash at either end
 */
record LockPaths(String prefix) {

    /** Where a lock's queue is. */
    String queue(LockKey key) {
        return '/' + prefix + '/' + segment(key.text());
    }

    /** The nodes above a queue's members, the queue last; the root of a chroot first. */
    List<String> ancestors(String queue) {
        List<String> all = new ArrayList<>(List.of("/"));
        for (int slash = queue.indexOf('/', 1); slash > 0; slash = queue.indexOf('/', slash + 1)) {
            all.add(queue.substring(0, slash));
        }
        all.add(queue);
        return all;
    }

    /** Percent-encodes the characters that ZooKeeper rejects beyond those that {@link LockKey#text()} encodes. */
    static String segment(String text) {
        if (text.chars().allMatch(c -> c == '.')) {
            return text.replace(".", "%2E");
        }
        StringBuilder path = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c < 0x7f || (c > 0x9f && c < 0xd800) || (c > 0xf8ff && c < 0xfff0)) {
                path.appendCodePoint(c);
            } else {
                for (byte each : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
                    path.append(String.format("%%%02X", each));
                }
            }
        });
        return path.toString();
    }
}
