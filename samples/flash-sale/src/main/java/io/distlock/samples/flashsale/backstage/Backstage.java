package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.springframework.util.FileSystemUtils;

/**
 * The Redis and the database that an instance works with. The first instance opens them and ends them; others join
 * through a note that it leaves in a directory that all of them know.
 */
public final class Backstage implements AutoCloseable {

    private static final int FIRST_HTTP_PORT = 8080;

    private final int redisPort;
    private final String databaseUrl;
    private final Supplier<CompletionStage<?>> end;
    private final Runnable onClose;

    private Backstage(int redisPort, String databaseUrl, Supplier<CompletionStage<?>> end, Runnable onClose) {
        this.redisPort = redisPort;
        this.databaseUrl = databaseUrl;
        this.end = end;
        this.onClose = onClose;
    }

    /**
     * Starts both servers, with files in the directory, and leaves the note there.
     *
     * @throws BackstageException if another instance has done so and is running
     */
    public static Backstage open(Path directory) {
        try {
            Optional<Note> earlier = Note.read(directory);
            if (earlier.flatMap(note -> note.instance().find()).isPresent()) {
                throw new BackstageException("An instance is running already, as process "
                        + earlier.get().instance().pid() + ": stop it, or join it with --join");
            }
            // One that was killed could not end its Redis.
            earlier.flatMap(note -> note.redis().find()).ifPresent(ProcessHandle::destroy);
            FileSystemUtils.deleteRecursively(directory);
            Files.createDirectories(directory);
            return start(directory);
        } catch (IOException | SQLException e) {
            throw new BackstageException("Redis or the database could not be started in " + directory, e);
        }
    }

    private static Backstage start(Path directory) throws IOException, SQLException {
        RedisServer redis = RedisServer.start(directory);
        DatabaseServer database = DatabaseServer.start(directory);
        new Note(
                        OwnedProcess.of(ProcessHandle.current()),
                        OwnedProcess.of(redis.process()),
                        redis.port(),
                        database.url())
                .write(directory);
        return new Backstage(redis.port(), database.url(), CompletableFuture::new, () -> {
            database.close();
            redis.close();
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
            return new Backstage(note.redisPort(), note.databaseUrl(), first::onExit, () -> {});
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
        return Map.of(
                "spring.data.redis.host", "127.0.0.1",
                "spring.data.redis.port", redisPort,
                "spring.datasource.url", databaseUrl);
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
