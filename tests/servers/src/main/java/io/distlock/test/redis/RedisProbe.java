package io.distlock.test.redis;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A small client that looks into a server on a test's behalf. It owns one connection, does not reconnect, and waits at
 * most twenty seconds for a reply.
 *
 * <p>For one thread at a time.
 */
public final class RedisProbe implements AutoCloseable {

    private final RedisEndpoint endpoint;
    private final RespConnection connection;

    private RedisProbe(RedisEndpoint endpoint, RespConnection connection) {
        this.endpoint = endpoint;
        this.connection = connection;
    }

    /**
     * Connects.
     *
     * @param endpoint the server
     * @return a connected probe
     * @throws java.io.UncheckedIOException if the server cannot be reached
     * @throws RedisErrorException if it refuses the credentials
     */
    public static RedisProbe open(RedisEndpoint endpoint) {
        return new RedisProbe(endpoint, RespConnection.open(endpoint));
    }

    /**
     * Sends a command and waits for its reply.
     *
     * @param words the command's name and its arguments
     * @return the reply
     * @throws RedisErrorException if the reply is an error
     * @throws java.io.UncheckedIOException if there is none; the probe is then closed
     */
    public RedisReply command(String... words) {
        return connection.call(List.of(words));
    }

    /**
     * Starts to write down which commands clients send.
     *
     * @return the recorder, to be closed
     */
    public CommandRecorder record() {
        return CommandRecorder.start(endpoint, connection);
    }

    /**
     * The fields of a section of INFO.
     *
     * @param section its name, such as {@code server}
     * @return the values by name
     */
    public Map<String, String> info(String section) {
        return command("INFO", section)
                .text()
                .lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1]));
    }

    /**
     * The id that a server draws anew each time it starts.
     *
     * @return the id
     */
    public String runId() {
        return Optional.ofNullable(info("server").get("run_id")).orElseThrow();
    }

    /**
     * All keys there are.
     *
     * @return the keys, sorted
     */
    public Set<String> keys() {
        return new TreeSet<>(command("KEYS", "*").texts());
    }

    /**
     * A string value.
     *
     * @param key its key
     * @return the value, or empty if there is no such key
     */
    public Optional<String> get(String key) {
        RedisReply reply = command("GET", key);
        return reply instanceof RedisReply.Nil ? Optional.empty() : Optional.of(reply.text());
    }

    /**
     * How long a key has to live.
     *
     * @param key the key
     * @return milliseconds, or empty if there is no such key
     * @throws IllegalStateException if the key never expires
     */
    public OptionalLong ttlMillis(String key) {
        long millis = command("PTTL", key).number();
        if (millis == -1) {
            throw new IllegalStateException("key '%s' never expires".formatted(key));
        }
        return millis < 0 ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    /** Deletes all keys of all databases. */
    public void flushAll() {
        command("FLUSHALL");
    }

    /** Makes the server forget all scripts, as a restart does. */
    public void scriptFlush() {
        command("SCRIPT", "FLUSH");
    }

    /**
     * How many applications' connections there are, subscribed ones included; no probe's, no replica's, no master's.
     *
     * @return the number
     */
    public int clientCount() {
        return (int) command("CLIENT", "LIST")
                .text()
                .lines()
                .map(ClientLine::parse)
                .filter(ClientLine::isApplication)
                .count();
    }

    /**
     * Closes the connections of all clients of a kind, but not this probe's.
     *
     * @param type the kind
     * @return how many there were
     */
    public int killClients(ClientType type) {
        return (int) command("CLIENT", "KILL", "TYPE", type.word()).number();
    }

    /**
     * The channels that somebody has subscribed to; patterns do not count.
     *
     * @return the channels, sorted
     */
    public Set<String> pubsubChannels() {
        return new TreeSet<>(command("PUBSUB", "CHANNELS").texts());
    }

    /**
     * From which ports somebody has subscribed to a channel.
     *
     * @return the ports of the clients' ends
     */
    public Set<Integer> pubsubPorts() {
        return command("CLIENT", "LIST", "TYPE", ClientType.PUBSUB.word())
                .text()
                .lines()
                .map(ClientLine::parse)
                .map(ClientLine::port)
                .collect(Collectors.toSet());
    }

    /** Ends the connection. */
    @Override
    public void close() {
        connection.close();
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /** A line of CLIENT LIST: {@code name=value} pairs. */
    private record ClientLine(Map<String, String> fields) {

        static ClientLine parse(String line) {
            return new ClientLine(List.of(line.split(" ", -1)).stream()
                    .map(field -> field.split("=", 2))
                    .collect(Collectors.toMap(field -> field[0], field -> field[1])));
        }

        int port() {
            String address = fields.getOrDefault("addr", "");
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }

        boolean isApplication() {
            String flags = fields.getOrDefault("flags", "");
            boolean link = flags.contains("S") || flags.contains("M");
            return !link && !RespConnection.NAME.equals(fields.get("name"));
        }
    }
}
