package io.distlock.test.fault;

/** Makes the proxy's threads: none of them keeps the JVM alive. */
final class Threads {

    private Threads() {}

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
