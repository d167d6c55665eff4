package io.distlock.etcd;

import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Knows for how long anything was put off. */
public final class NotedScheduler implements LockScheduler {

    private final List<Duration> delays = new CopyOnWriteArrayList<>();
    private final LockScheduler actual;

    public NotedScheduler(LockScheduler actual) {
        this.actual = actual;
    }

    public List<Duration> delays() {
        return delays;
    }

    @Override
    public Scheduled schedule(Runnable task, Duration delay) {
        Scheduled scheduled = actual.schedule(task, delay);
        delays.add(delay);
        return scheduled;
    }

    @Override
    public void close() {
        actual.close();
    }
}
