package io.distlock.test.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;

/** Listens on a loopback port and hands over each connection, on a thread of its own. */
final class Acceptor implements AutoCloseable {

    private final ServerSocket socket;
    private final Thread thread;

    private Acceptor(ServerSocket socket, Consumer<Socket> taker) {
        this.socket = socket;
        this.thread = Threads.daemon("fault-proxy-" + socket.getLocalPort() + "-accept", () -> accept(taker));
    }

    /** Fails with a {@link java.net.BindException} if somebody else listens there. */
    static Acceptor on(int port, Consumer<Socket> taker) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            // Connections of the last listener on this port may linger; they must not keep the next one out.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        Acceptor acceptor = new Acceptor(socket, taker);
        acceptor.thread.start();
        return acceptor;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
    }

    /** From here on connections are refused, and none is handed over any more. */
    @Override
    public void close() {
        try {
            socket.close();
            thread.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(Consumer<Socket> taker) {
        while (!socket.isClosed()) {
            try {
                taker.accept(socket.accept());
            } catch (IOException closed) {
                return;
            }
        }
    }
}
