package io.distlock.chaos.campaign;

import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.chaos.history.Use;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The resource that the locks protect: for each key the newest value, behind a fence that refuses a token smaller than the
 * largest that it has seen. Each write that arrives is recorded in the order of arrival, refused ones too, so that the history
 * also tells what a register without a fence would have taken. Thread-safe.
 */
final class RegisterServer implements AutoCloseable {

    private final ServerSocket socket;
    private final Journal journal;
    private final Map<String, Long> largest = new HashMap<>();
    private final EnumSet<Use> refused = EnumSet.noneOf(Use.class);

    private RegisterServer(ServerSocket socket, Journal journal) {
        this.socket = socket;
        this.journal = journal;
    }

    static RegisterServer start(Journal journal) {
        try {
            RegisterServer register =
                    new RegisterServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), journal);
            daemon(register::accept, "register");
            return register;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Of which uses the fence has not refused a write so far. */
    synchronized Set<Use> neverRefused() {
        return EnumSet.complementOf(refused);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                daemon(() -> serve(client), "register-connection");
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                write(words[0], words[1], Long.parseLong(words[2]));
            }
        } catch (IOException killed) {
            // The client was killed. What it has sent is recorded.
        }
    }

    private synchronized void write(String attempt, String key, long token) {
        boolean letIn = token >= largest.getOrDefault(key, Long.MIN_VALUE);
        if (letIn) {
            largest.put(key, token);
        }
        if (!letIn) {
            refused.add(Use.of(key));
        }
        journal.now(Kind.WROTE, attempt, key, token, letIn);
    }

    private static void daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
