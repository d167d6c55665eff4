package io.distlock.test.redis;

import io.distlock.test.process.TestCertificate;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;

/**
 * One connection that speaks RESP2, the protocol of Redis: see its specification at redis.io. Every wait is bounded.
 *
 * <p>For one thread at a time.
 */
final class RespConnection implements AutoCloseable {

    /** What these connections are called in CLIENT LIST, so that they can be told from an application's. */
    static final String NAME = "distlock-probe";

    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(20).toMillis();

    private final Socket socket;
    private final InputStream in;

    private RespConnection(Socket socket, InputStream in) {
        this.socket = socket;
        this.in = in;
    }

    static RespConnection open(RedisEndpoint endpoint) {
        RespConnection connection = connect(endpoint);
        try {
            endpoint.credentials().ifPresent(connection::logIn);
            connection.call(List.of("CLIENT", "SETNAME", NAME));
            return connection;
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** As the server names this client, in CLIENT LIST and in the output of MONITOR. */
    String localAddress() {
        return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort();
    }

    RedisReply call(List<String> words) {
        try {
            socket.getOutputStream().write(encode(words));
        } catch (IOException e) {
            throw broken("cannot send " + words.get(0), e);
        }
        RedisReply reply = next();
        if (reply instanceof RedisReply.Failure failure) {
            throw new RedisErrorException(failure.message());
        }
        return reply;
    }

    /** The next thing the server says. */
    RedisReply next() {
        try {
            return read();
        } catch (IOException e) {
            throw broken("no reply", e);
        }
    }

    boolean isOpen() {
        return !socket.isClosed();
    }

    /** Closes: what comes next here could be the reply to an earlier question. */
    private UncheckedIOException broken(String what, IOException cause) {
        close();
        return new UncheckedIOException("%s: %s".formatted(socket.getRemoteSocketAddress(), what), cause);
    }

    private RedisReply read() throws IOException {
        int type = in.read();
        String line = line();
        return switch (type) {
            case '+' -> new RedisReply.Text(line);
            case '-' -> new RedisReply.Failure(line);
            case ':' -> new RedisReply.Int(Long.parseLong(line));
            case '$' -> bulk(Integer.parseInt(line));
            case '*' -> array(Integer.parseInt(line));
            default -> throw new IOException("no reply starts with byte " + type);
        };
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void logIn(RedisCredentials credentials) {
        List<String> words = credentials
                .user()
                .map(user -> List.of("AUTH", user, credentials.password()))
                .orElseGet(() -> List.of("AUTH", credentials.password()));
        call(words);
    }

    private static RespConnection connect(RedisEndpoint endpoint) {
        try {
            Socket plain = connected(endpoint);
            Socket socket = endpoint.certificate().isPresent()
                    ? encrypted(plain, endpoint, endpoint.certificate().get())
                    : plain;
            return new RespConnection(socket, new BufferedInputStream(socket.getInputStream()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect to " + endpoint, e);
        }
    }

    private static Socket connected(RedisEndpoint endpoint) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket encrypted(Socket plain, RedisEndpoint endpoint, TestCertificate certificate)
            throws IOException {
        SSLSocketFactory factory = certificate.clientContext().getSocketFactory();
        return factory.createSocket(plain, endpoint.host(), endpoint.port(), true);
    }

    private static byte[] encode(List<String> words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ascii("*" + words.size() + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ascii("$" + bytes.length + "\r\n"));
            out.writeBytes(bytes);
            out.writeBytes(ascii("\r\n"));
        }
        return out.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private RedisReply bulk(int length) throws IOException {
        if (length < 0) {
            return new RedisReply.Nil();
        }
        byte[] content = in.readNBytes(length);
        line();
        return new RedisReply.Text(new String(content, StandardCharsets.UTF_8));
    }

    private RedisReply array(int length) throws IOException {
        if (length < 0) {
            return new RedisReply.Nil();
        }
        List<RedisReply> items = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            items.add(read());
        }
        return new RedisReply.Items(items);
    }
}
