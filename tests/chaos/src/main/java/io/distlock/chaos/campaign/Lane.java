package io.distlock.chaos.campaign;

import java.util.concurrent.CompletableFuture;

/** A course of faults on a thread of its own, whose failure is not lost. */
final class Lane {

    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private Lane() {}

    static Lane start(String name, Runnable course) {
        Lane lane = new Lane();
        Thread thread = new Thread(() -> lane.run(course), "chaos-" + name);
        thread.setDaemon(true);
        thread.start();
        return lane;
    }

    private void run(Runnable course) {
        try {
            course.run();
            end.complete(null);
        } catch (RuntimeException | Error failure) {
            end.completeExceptionally(failure);
        }
    }

    /** Waits for its end. */
    void join() {
        end.join();
    }
}
