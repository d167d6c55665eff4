package io.distlock.test.sql;

import io.distlock.test.process.FreePort;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A pooler in front of PostgreSQL that may change the server's connection with each transaction. Not thread-safe. */
public final class PgBouncer implements AutoCloseable {

    private static final Duration TIME_TO_START = Duration.ofMinutes(1);

    private final TestFolder folder;
    private final ServerProcess process;
    private final int port;

    private PgBouncer(TestFolder folder, ServerProcess process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one and waits until it accepts connections.
     *
     * @throws IllegalStateException if the program is missing, with the command that installs it, or if it fails
     */
    public static PgBouncer before(SqlServer server) {
        String program = SqlPrograms.find("pgbouncer")
                .orElseThrow(
                        () -> new IllegalStateException("no pgbouncer found. Install one: apt-get install pgbouncer"))
                .toString();
        TestFolder folder = TestFolder.create("pgbouncer");
        try {
            int port = FreePort.next();
            Path settings = folder.path().resolve("pgbouncer.ini");
            Files.write(settings, settings(server, port));
            SqlPrograms.giveTo("postgres", folder.path());
            ServerProcess process = ServerProcess.start(
                    "pgbouncer", folder.path(), SqlPrograms.as("postgres", List.of(program, settings.toString())));
            process.awaitReady(TIME_TO_START, () -> accepts(port));
            return new PgBouncer(folder, process, port);
        } catch (IOException failure) {
            folder.close();
            throw new UncheckedIOException(failure);
        } catch (RuntimeException failure) {
            folder.close();
            throw failure;
        }
    }

    private static List<String> settings(SqlServer server, int port) {
        return List.of(
                "[databases]",
                "* = host=127.0.0.1 port=" + server.port() + " user=" + server.user(),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = any",
                "pool_mode = transaction",
                "ignore_startup_parameters = extra_float_digits");
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The JDBC address. Statements are prepared for one transaction only, as such a pooler requires. */
    public String url() {
        return SqlServer.Product.POSTGRESQL.url(port) + "?prepareThreshold=0";
    }

    @Override
    public void close() {
        process.close();
        folder.close();
    }
}
