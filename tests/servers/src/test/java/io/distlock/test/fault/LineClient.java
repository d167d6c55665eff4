package io.distlock.test.fault;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends lines and reads lines. */
final class LineClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final BufferedReader in;

    LineClient(FaultProxy proxy) throws IOException {
        socket = new Socket(proxy.host(), proxy.port());
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** From where it has connected. */
    int port() {
        return socket.getLocalPort();
    }

    void send(String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The next line, or null at the end. */
    String receive() throws IOException {
        return receiveWithin(PATIENCE_MILLIS);
    }

    String receiveWithin(int millis) throws IOException {
        socket.setSoTimeout(millis);
        return in.readLine();
    }

    String ask(String line) throws IOException {
        send(line);
        return receive();
    }

    void endRequests() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
