package io.distlock.zookeeper;

import io.distlock.LockMode;

/**
 * How the nodes of a lock are named, which decides which of Curator's recipes see them. This project's own locks exclude each
 * other whichever layout they use.
 */
public enum ZooKeeperLayout {

    /**
     * As {@code InterProcessMutex} names them, and so Spring Integration's {@code ZookeeperLockRegistry}. To a mutex, a lock in
     * shared mode is one that is held exclusively.
     */
    MUTEX("lock-", "shared-lock-"),

    /** As {@code InterProcessReadWriteLock} names them. */
    READ_WRITE("__WRIT__", "__READ__");

    private final String exclusive;
    private final String shared;

    ZooKeeperLayout(String exclusive, String shared) {
        this.exclusive = exclusive;
        this.shared = shared;
    }

    /** What precedes the number in a node's name. */
    String label(LockMode mode) {
        return mode == LockMode.SHARED ? shared : exclusive;
    }

    /** The mode of a node with this name; a stranger's is exclusive. */
    static LockMode mode(String name) {
        for (ZooKeeperLayout each : values()) {
            if (name.contains('-' + each.shared)) {
                return LockMode.SHARED;
            }
        }
        return LockMode.EXCLUSIVE;
    }
}
