package io.distlock.test.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Virtual threads, and the JVM's own record of those that kept their carrier while they waited. On JDK 21 and later. */
public final class VirtualThreads {

    private VirtualThreads() {}

    /**
     * Runs each of these on a virtual thread of its own, to their end.
     *
     * @param folder for the record
     * @param tasks what to run
     * @return the events of threads that were pinned meanwhile, however shortly
     */
    public static List<RecordedEvent> pinnedBy(Path folder, List<Runnable> tasks)
            throws IOException, ReflectiveOperationException, ExecutionException, InterruptedException {
        Path file = folder.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            ExecutorService threads = newExecutor();
            List<Future<?>> running = new ArrayList<>();
            tasks.forEach(task -> running.add(threads.submit(task)));
            for (Future<?> each : running) {
                each.get();
            }
            threads.shutdown();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    /** Compiled for a JDK that has none. */
    private static ExecutorService newExecutor() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
