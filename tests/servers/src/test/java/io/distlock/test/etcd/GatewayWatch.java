package io.distlock.test.etcd;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A watch on a key {@code key}, by way of the JSON gateway, in a connection of its own. */
final class GatewayWatch implements AutoCloseable {

    private static final String CREATE = "{\"create_request\": {\"key\": \"a2V5\"}}";

    private final Socket socket;
    private final BufferedReader in;

    private GatewayWatch(Socket socket, BufferedReader in) {
        this.socket = socket;
        this.in = in;
    }

    /** Returns once the watch stands. */
    static GatewayWatch open(EtcdEndpoint endpoint) {
        try {
            Socket socket = new Socket(endpoint.host(), endpoint.port());
            socket.setSoTimeout(60_000);
            String request = "POST /v3/watch HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(CREATE.length(), CREATE);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            GatewayWatch watch = new GatewayWatch(
                    socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
            watch.await("\"created\":true");
            return watch;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads on to a line that holds a text. */
    void await(String text) {
        try {
            String line = in.readLine();
            while (!line.contains(text)) {
                line = in.readLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
