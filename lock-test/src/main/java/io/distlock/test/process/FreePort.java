package io.distlock.test.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds loopback ports that nobody listens on.
 *
 * <p>They lie below the ranges from which systems take the client ends of connections. A port from those ranges can be
 * gone when a server that was stopped wants it back.
 */
public final class FreePort {

    // Redis Cluster adds 10,000 for its bus; with these bounds a bus port is never handed out here either.
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 21_999;
    private static final int TRIES = 100;

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
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between %d and %d in %d tries".formatted(LOWEST, HIGHEST, TRIES));
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
