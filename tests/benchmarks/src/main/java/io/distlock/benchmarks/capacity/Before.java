package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.measure.Heap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * This JVM before there were clients. What it has more since is theirs: the servers are processes of their own.
 *
 * @param reachable bytes on the heap
 * @param sockets that are open, as Linux shows them
 */
record Before(long reachable, int sockets) {

    private static final long THIS = ProcessHandle.current().pid();

    static Before now() {
        return new Before(Heap.reachable(), openSockets(THIS));
    }

    /** Bytes since. */
    long heap() {
        return Math.max(0, Heap.reachable() - reachable);
    }

    /** Connections since. */
    int connections() {
        return openSockets(THIS) - sockets;
    }

    /** Those of a process. */
    static int openSockets(long process) {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process), "fd"))) {
            return Math.toIntExact(open.filter(Before::isSocket).count());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closed) {
            return false;
        }
    }
}
