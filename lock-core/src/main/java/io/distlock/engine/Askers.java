package io.distlock.engine;

/** Names the threads that ask for locks, for people. */
final class Askers {

    private Askers() {}

    /** The thread's name; its number if it has none, as most virtual threads. */
    static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "#" + id(thread) : name;
    }

    @SuppressWarnings("deprecation") // its successor, threadId(), is not there before Java 19
    private static long id(Thread thread) {
        return thread.getId();
    }
}
