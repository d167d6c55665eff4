package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.springframework.util.FileSystemUtils;

/**
 * The Redis, or the five of them, and the database that an instance works with. The first instance opens them and ends them; others join
 * through a note that it leaves in a directory that all of them know.
 */
public final class Backstage implements AutoCloseable {

    /** How many independent servers keep the lock by majority. */
    public static final int REDLOCK = 5;

    /** One server keeps the lock alone. */
    public static final int SINGLE = 1;

    private static final String HOST = "127.0.0.1";
    private static final int FIRST_HTTP_PORT = 8080;

    private final List<Integer> redisPorts;
    private final String databaseUrl;
    private final Supplier<CompletionStage<?>> end;
    private final Runnable onClose;

    private Backstage(
            List<Integer> redisPorts, String databaseUrl, Supplier<CompletionStage<?>> end, Runnable onClose) {
        this.redisPorts = redisPorts;
        this.databaseUrl = databaseUrl;
        this.end = end;
        this.onClose = onClose;
    }

    /** Starts one Redis and the database. */
    public static Backstage open(Path directory) {
        return open(directory, SINGLE);
    }

    /**
     * Starts the servers, with files in the directory, and leaves the note there.
     *
     * @param redisServers how many
     * @throws BackstageException if another instance has done so and is running
     */
    public static Backstage open(Path directory, int redisServers) {
        try {
            Optional<Note> earlier = Note.read(directory);
            if (earlier.flatMap(note -> note.instance().find()).isPresent()) {
                throw new BackstageException("An instance is running already, as process "
                        + earlier.get().instance().pid() + ": stop it, or join it with --join");
            }
            // One that was killed could not end its Redis.
            earlier.ifPresent(Backstage::endRedis);
            FileSystemUtils.deleteRecursively(directory);
            Files.createDirectories(directory);
            return start(directory, redisServers);
        } catch (IOException | SQLException e) {
            throw new BackstageException("Redis or the database could not be started in " + directory, e);
        }
    }

    private static void endRedis(Note note) {
        note.redis().forEach(server -> server.find().ifPresent(ProcessHandle::destroy));
    }

    private static Backstage start(Path directory, int redisServers) throws IOException, SQLException {
        List<RedisServer> redis = RedisServer.start(directory, redisServers);
        List<Integer> ports = redis.stream().map(RedisServer::port).toList();
        DatabaseServer database = DatabaseServer.start(directory);
        new Note(
                        OwnedProcess.of(ProcessHandle.current()),
                        redis.stream()
                                .map(RedisServer::process)
                                .map(OwnedProcess::of)
                                .toList(),
                        ports,
                        database.url())
                .write(directory);
        return new Backstage(ports, database.url(), CompletableFuture::new, () -> {
            database.close();
            redis.forEach(RedisServer::close);
            deleteQuietly(directory);
        });
    }

    /**
     * Finds the servers of the instance that opened the directory.
     *
     * @throws BackstageException if none has, or if it is gone
     */
    public static Backstage join(Path directory) {
        try {
            Note note = Note.read(directory).orElseThrow(() -> nobodyToJoin(directory));
            ProcessHandle first = note.instance().find().orElseThrow(() -> nobodyToJoin(directory));
            return new Backstage(note.redisPorts(), note.databaseUrl(), first::onExit, () -> {});
        } catch (IOException e) {
            throw new BackstageException("The note of the first instance in " + directory + " cannot be read", e);
        }
    }

    private static BackstageException nobodyToJoin(Path directory) {
        return new BackstageException("There is no first instance to join (its note is expected in " + directory
                + "): start one without --join, then try again");
    }

    /** Completes when the instance that opened the servers has ended, and they with it. */
    public CompletionStage<?> ended() {
        return end.get();
    }

    /** The settings that lead an application here, which in a real deployment are in its configuration. */
    public Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "spring.data.redis.host", HOST,
                "spring.data.redis.port", redisPorts.get(0),
                "spring.datasource.url", databaseUrl));
        if (isRedlock()) {
            List<String> nodes = redisPorts.stream()
                    .map(port -> "redis://" + HOST + ':' + port)
                    .toList();
            settings.put("distributed-lock.redlock.nodes", nodes);
        }
        return settings;
    }

    /** Whether several Redis servers are there to keep the lock together. */
    public boolean isRedlock() {
        return redisPorts.size() > SINGLE;
    }

    /** A port for a web server: the first that is free, so that several instances run side by side. */
    public static int freeHttpPort() {
        return Ports.freeFrom(FIRST_HTTP_PORT);
    }

    private static void deleteQuietly(Path directory) {
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            // The next first instance clears the directory anyway.
        }
    }

    @Override
    public void close() {
        onClose.run();
    }
}
