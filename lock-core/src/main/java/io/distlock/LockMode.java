package io.distlock;

/** Whether a lock may have several holders at once. */
public enum LockMode {

    /** One holder. */
    EXCLUSIVE,

    /** Any number of shared holders, and no exclusive one. */
    SHARED
}
