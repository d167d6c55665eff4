package io.distlock.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The threads of this JVM. */
final class Threads {

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

    private Threads() {}

    /** How many were ever started, of whatever kind. */
    static long everStarted() {
        return BEAN.getTotalStartedThreadCount();
    }

    /** How many run timers for locks. */
    static long ofSchedulers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("distlock-scheduler"))
                .count();
    }
}
