package io.distlock;

/** Who may hold a lock together. */
public enum LockMode {

    /** One holder, and nobody beside it. */
    EXCLUSIVE,

    /** Any number of shared holders, and no exclusive one beside them. */
    SHARED
}
