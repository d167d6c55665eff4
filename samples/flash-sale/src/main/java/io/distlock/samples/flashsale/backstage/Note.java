package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * What the first instance leaves for others to find.
 *
 * @param instance its process
 * @param store what keeps the lock
 * @param servers the processes of the store's servers
 * @param ports where those listen, in the same order
 * @param databaseUrl its database
 */
record Note(
        OwnedProcess instance, LockStore store, List<OwnedProcess> servers, List<Integer> ports, String databaseUrl) {

    private static final String FILE = "first-instance.properties";

    /** The note in the directory; empty if there is none, or none that can be read. */
    static Optional<Note> read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties lines = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            lines.load(reader);
        }
        return parse(lines);
    }

    private static Optional<Note> parse(Properties lines) {
        try {
            List<OwnedProcess> servers = new ArrayList<>();
            List<Integer> ports = new ArrayList<>();
            for (int number = 1; number <= Integer.parseInt(value(lines, "servers")); number++) {
                servers.add(process(lines, "server." + number));
                ports.add(Integer.parseInt(value(lines, "server." + number + ".port")));
            }
            return Optional.of(new Note(
                    process(lines, "instance"),
                    LockStore.valueOf(value(lines, "lock-store")),
                    servers,
                    ports,
                    value(lines, "database.url")));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private static OwnedProcess process(Properties lines, String name) {
        return new OwnedProcess(
                Long.parseLong(value(lines, name + ".pid")), Instant.parse(value(lines, name + ".since")));
    }

    private static String value(Properties lines, String name) {
        String value = lines.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }

    void write(Path directory) throws IOException {
        Properties lines = new Properties();
        put(lines, "instance", instance);
        lines.setProperty("lock-store", store.name());
        lines.setProperty("servers", Integer.toString(servers.size()));
        for (int number = 1; number <= servers.size(); number++) {
            put(lines, "server." + number, servers.get(number - 1));
            lines.setProperty("server." + number + ".port", Integer.toString(ports.get(number - 1)));
        }
        lines.setProperty("database.url", databaseUrl);
        try (Writer writer = Files.newBufferedWriter(directory.resolve(FILE))) {
            lines.store(writer, "Where a second instance finds the lock store and the database of the first");
        }
    }

    private static void put(Properties lines, String name, OwnedProcess process) {
        lines.setProperty(name + ".pid", Long.toString(process.pid()));
        lines.setProperty(name + ".since", process.since().toString());
    }
}
