package io.distlock.applications;

/** What kind of thread runs a method. */
public final class Threads {

    private Threads() {}

    /** Whether this Java runtime has virtual threads. */
    public static boolean canBeVirtual() {
        return Runtime.version().feature() >= 21;
    }

    public static boolean isVirtual() {
        return Thread.currentThread().toString().startsWith("VirtualThread");
    }
}
