package io.distlock.test.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One client's connection through the proxy: its socket, the one to the server, and a pipe each way. */
final class Link {

    private final Socket client;
    private final Socket server;
    private final Pipe requests;
    private final Pipe replies;
    private final Consumer<Link> whenGone;
    private final AtomicInteger open = new AtomicInteger(2);
    private final AtomicBoolean gone = new AtomicBoolean();

    Link(Socket client, Socket server, Rules requests, Rules replies, Consumer<Link> whenGone) {
        this.client = client;
        this.server = server;
        String name = "fault-proxy-" + client.getLocalPort();
        this.requests = new Pipe(name + "-requests", client, server, requests, this);
        this.replies = new Pipe(name + "-replies", server, client, replies, this);
        this.whenGone = whenGone;
    }

    void start() {
        requests.start();
        replies.start();
    }

    /** From where the client has connected. */
    int clientPort() {
        return client.getPort();
    }

    /** From where the proxy has connected to the server. */
    int serversPort() {
        return server.getLocalPort();
    }

    /** Loses all bytes from now on. */
    void silence() {
        requests.silence();
        replies.silence();
    }

    /** See {@link Pipe#isTorn()}. */
    boolean isTorn() {
        return requests.isTorn() || replies.isTorn();
    }

    /** Breaks both connections: both sides see a reset. */
    void cut() {
        if (gone.compareAndSet(false, true)) {
            breakOff(client);
            breakOff(server);
            dispose();
        }
    }

    /** One side has said its last, and the other knows. */
    void ended() {
        if (open.decrementAndGet() == 0 && gone.compareAndSet(false, true)) {
            close(client);
            close(server);
            dispose();
        }
    }

    /** Closes with a reset in place of the orderly end. */
    static void breakOff(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            return;
        }
        close(socket);
    }

    private void dispose() {
        whenGone.accept(this);
        requests.stop();
        replies.stop();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
