package io.distlock.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Who asked for a lock.
 *
 * @param thread the thread's name, or its number if unnamed, like most virtual threads
 * @param traceId that of the thread's trace, if a tracer shows it to the log
 */
record Asker(String thread, @Nullable String traceId) {

    private static final String TRACE_ID = "traceId";

    @SuppressWarnings("deprecation") // getId()'s successor requires Java 19
    static Asker current() {
        Thread thread = Thread.currentThread();
        return new Asker(thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName(), MDC.get(TRACE_ID));
    }

    /** Logs as if in the trace: what happens to the lock later is discovered on other threads. */
    void inTrace(Runnable log) {
        if (traceId == null) {
            log.run();
            return;
        }
        MDC.put(TRACE_ID, traceId);
        try {
            log.run();
        } finally {
            MDC.remove(TRACE_ID);
        }
    }
}
