package io.distlock.test.fault;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sends back each line it gets, and remembers it. */
final class EchoServer implements AutoCloseable {

    private static final int ANY_PORT = 0;

    private final Acceptor acceptor;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final List<String> received = new CopyOnWriteArrayList<>();

    EchoServer() {
        try {
            acceptor = Acceptor.on(ANY_PORT, this::take);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return acceptor.address().getPort();
    }

    List<String> received() {
        return List.copyOf(received);
    }

    int clients() {
        return clients.size();
    }

    void closeClients() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
        closeClients();
    }

    private void take(Socket client) {
        clients.add(client);
        Threads.daemon("echo-server-client", () -> serve(client)).start();
    }

    private void serve(Socket client) {
        try (client) {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                received.add(line);
                client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException gone) {
            received.add("(broken)");
        } finally {
            clients.remove(client);
        }
    }
}
