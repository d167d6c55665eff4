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
 * The lock store and the database that an instance works with. The first instance opens them and ends them; others join
 * through a note that it leaves in a directory that all of them know.
 */
public final class Backstage implements AutoCloseable {

    private static final int FIRST_HTTP_PORT = 8080;

    private final LockStore store;
    private final List<Integer> ports;
    private final String databaseUrl;
    private final boolean runsDatabase;
    private final Supplier<CompletionStage<?>> end;
    private final Runnable onClose;

    private Backstage(
            LockStore store,
            List<Integer> ports,
            String databaseUrl,
            boolean runsDatabase,
            Supplier<CompletionStage<?>> end,
            Runnable onClose) {
        this.store = store;
        this.ports = ports;
        this.databaseUrl = databaseUrl;
        this.runsDatabase = runsDatabase;
        this.end = end;
        this.onClose = onClose;
    }

    /** Starts one Redis and the database. */
    public static Backstage open(Path directory) {
        return open(directory, LockStore.REDIS, Optional.empty());
    }

    /**
     * Starts the servers, with files in the directory, and leaves the note there.
     *
     * @param store what is to keep the lock
     * @param databaseUrl a database that is running already, with its user; empty to start one
     * @throws BackstageException if another instance has done so and is running
     */
    public static Backstage open(Path directory, LockStore store, Optional<String> databaseUrl) {
        try {
            Optional<Note> earlier = Note.read(directory);
            if (earlier.flatMap(note -> note.instance().find()).isPresent()) {
                throw new BackstageException("An instance is running already, as process "
                        + earlier.get().instance().pid() + ": stop it, or join it with --join");
            }
            // One that was killed could not end its servers.
            earlier.ifPresent(Backstage::endServers);
            FileSystemUtils.deleteRecursively(directory);
            Files.createDirectories(directory);
            return start(directory, store, databaseUrl);
        } catch (IOException | SQLException e) {
            throw new BackstageException("The lock store or the database could not be started in " + directory, e);
        }
    }

    private static void endServers(Note note) {
        note.servers().forEach(server -> server.find().ifPresent(ProcessHandle::destroy));
    }

    private static Backstage start(Path directory, LockStore store, Optional<String> databaseUrl)
            throws IOException, SQLException {
        List<LockServer> servers = store.start(directory);
        List<Integer> ports = servers.stream().map(LockServer::port).toList();
        Optional<DatabaseServer> own =
                databaseUrl.isPresent() ? Optional.empty() : Optional.of(DatabaseServer.start(directory));
        String url = databaseUrl.or(() -> own.map(DatabaseServer::url)).orElseThrow();
        List<OwnedProcess> processes =
                servers.stream().map(LockServer::process).map(OwnedProcess::of).toList();
        new Note(OwnedProcess.of(ProcessHandle.current()), store, processes, ports, url).write(directory);
        return new Backstage(store, ports, url, own.isPresent(), CompletableFuture::new, () -> {
            own.ifPresent(DatabaseServer::close);
            servers.forEach(LockServer::close);
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
            return new Backstage(note.store(), note.ports(), note.databaseUrl(), false, first::onExit, () -> {});
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
        Map<String, Object> settings = new HashMap<>(store.settings(ports));
        settings.put("spring.datasource.url", databaseUrl);
        // Spring Data's driver is on the class path, but only this store runs where it connects.
        settings.put("management.health.redis.enabled", store == LockStore.REDIS);
        if (databaseUrl.startsWith("jdbc:mariadb:")) {
            // Its identity columns are declared in words of its own.
            settings.put("spring.sql.init.schema-locations", "classpath:schema-mariadb.sql");
        }
        return settings;
    }

    /** Whether the database is in this process. */
    public boolean runsDatabase() {
        return runsDatabase;
    }

    /** What keeps the lock. */
    public LockStore store() {
        return store;
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
