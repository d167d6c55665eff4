package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds loopback ports that nobody listens on.
 *
 * <p>They lie below the ranges from which systems take the client ends of connections. A port from those ranges can be
 * gone when a server that was stopped wants it back.
 *
 * <p>Each is handed out once, and to one JVM of a user at a time: a server that was killed finds its port free when it is
 * started again, and whoever connects to it meanwhile finds nobody. Files in the temp folder, which the system locks for
 * as long as the JVM lives, tell other JVMs.
 */
public final class FreePort {

    // Redis Cluster adds 10,000 for its bus; with these bounds a bus port is never handed out here either.
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 21_999;
    private static final int TRIES = 100;

    private static final Set<Integer> tried = ConcurrentHashMap.newKeySet();

    /** Open for as long as this JVM lives. */
    private static final Set<FileChannel> locked = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /**
     * A port that was free a moment ago. Another process can still take it first, so the caller tries again with
     * another when it cannot bind.
     *
     * @return the port
     */
    public static int next() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
            if (tried.add(port) && isFree(port) && reserve(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between %d and %d in %d tries".formatted(LOWEST, HIGHEST, TRIES));
    }

    private static boolean reserve(int port) {
        Path folder =
                Path.of(System.getProperty("java.io.tmpdir"), "distlock-ports-" + System.getProperty("user.name"));
        try {
            Files.createDirectories(folder);
            FileChannel file = FileChannel.open(
                    folder.resolve(Integer.toString(port)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (file.tryLock() != null) {
                return locked.add(file);
            }
            file.close();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reserve port " + port + " in " + folder, e);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
