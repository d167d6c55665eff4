package io.distlock.chaos.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client's way to the register. Writes are sent and not waited for, as one is that a pause has overtaken. For one thread. */
final class RegisterConnection implements AutoCloseable {

    private final Socket socket;

    private RegisterConnection(Socket socket) {
        this.socket = socket;
    }

    static RegisterConnection to(int port) {
        try {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            return new RegisterConnection(socket);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    void write(String attempt, String key, long token) {
        try {
            socket.getOutputStream()
                    .write("%s %s %d%n".formatted(attempt, key, token).getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
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
