package io.distlock.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** The threads of this JVM. */
final class Threads {

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

    private static final Duration CALM = Duration.ofMillis(500);
    private static final int MOST_LOOKS = 20;

    private Threads() {}

    /** How many were ever started, of whatever kind. */
    static long everStarted() {
        return BEAN.getTotalStartedThreadCount();
    }

    /**
     * The same, once none is started any more: what was closed before may still be winding up, and what was opened may
     * still be starting the threads it will have.
     */
    static long everStartedOnceCalm() {
        long started = everStarted();
        for (int look = 0; look < MOST_LOOKS; look++) {
            Stopwatch.pause(CALM);
            long now = everStarted();
            if (now == started) {
                break;
            }
            started = now;
        }
        return started;
    }

    /** How many run timers for locks. */
    static long ofSchedulers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("distlock-scheduler"))
                .count();
    }
}
