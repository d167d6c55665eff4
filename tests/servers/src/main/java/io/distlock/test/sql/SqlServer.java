package io.distlock.test.sql;

import io.distlock.test.process.FreePort;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.SteppableClock;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A real database server with an empty database {@code test}, on a free port of the loopback interface and with data in
 * a temp folder. Commits survive the death of the server, not that of the machine. Not thread-safe.
 */
public final class SqlServer implements AutoCloseable {

    private static final Duration TIME_TO_START = Duration.ofMinutes(2);

    /** Which database, and how it is set up. */
    public enum Product {

        /** PostgreSQL, found where Debian's packages put it or on the path. */
        POSTGRESQL("postgres", "initdb", "apt-get install postgresql") {
            @Override
            List<String> create(Path folder, Path data) {
                return List.of(
                        program("initdb"),
                        "-D",
                        data.toString(),
                        "-U",
                        "test",
                        "-A",
                        "trust",
                        "-E",
                        "UTF8",
                        "-N",
                        "--no-locale",
                        "--no-instructions");
            }

            @Override
            List<String> serve(Path folder, Path data, int port) {
                List<String> command = new ArrayList<>(List.of(program("postgres"), "-D", data.toString()));
                List.of(
                                "port=" + port,
                                "listen_addresses=127.0.0.1",
                                "unix_socket_directories=",
                                "fsync=off",
                                "full_page_writes=off",
                                "shared_buffers=16MB",
                                "max_connections=200")
                        .forEach(setting -> command.addAll(List.of("-c", setting)));
                return command;
            }

            /** By SIGQUIT, after which the next start recovers: after SIGKILL its processes would outlive it for a while. */
            @Override
            void crash(ServerProcess server) {
                server.quit();
            }

            @Override
            public String url(int port) {
                return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
            }
        },

        /** MariaDB. With a folder of its own for temporary tables: on its start it deletes those of any server there. */
        MARIADB("mysql", "mariadb-install-db", "apt-get install mariadb-server") {
            @Override
            List<String> create(Path folder, Path data) {
                return List.of(
                        program("mariadb-install-db"),
                        "--no-defaults",
                        "--datadir=" + data,
                        "--tmpdir=" + folder,
                        "--auth-root-authentication-method=normal",
                        "--skip-test-db");
            }

            @Override
            List<String> serve(Path folder, Path data, int port) {
                return List.of(
                        program("mariadbd"),
                        "--no-defaults",
                        "--datadir=" + data,
                        "--tmpdir=" + folder,
                        "--port=" + port,
                        "--bind-address=127.0.0.1",
                        "--socket=" + folder.resolve("s"),
                        "--pid-file=" + folder.resolve("pid"),
                        "--skip-grant-tables",
                        "--skip-networking=0",
                        "--innodb-flush-log-at-trx-commit=2",
                        "--innodb-buffer-pool-size=32M",
                        "--innodb-log-file-size=16M");
            }

            @Override
            public String url(int port) {
                return "jdbc:mariadb://127.0.0.1:" + port + "/mysql";
            }
        };

        private final String user;
        private final String probe;
        private final String cure;

        Product(String user, String probe, String cure) {
            this.user = user;
            this.probe = probe;
            this.cure = cure;
        }

        abstract List<String> create(Path folder, Path data);

        abstract List<String> serve(Path folder, Path data, int port);

        /** Ends the server at once. */
        void crash(ServerProcess server) {
            server.kill();
        }

        /** The JDBC address of a server on this port. */
        public abstract String url(int port);

        String program(String name) {
            return SqlPrograms.find(name)
                    .orElseThrow(() -> new IllegalStateException("no %s found. Install one: %s".formatted(name, cure)))
                    .toString();
        }
    }

    private final Product product;
    private final int port;
    private final TestFolder folder;
    private final List<String> prefix;
    private ServerProcess process;

    private SqlServer(Product product, int port, TestFolder folder, List<String> prefix, ServerProcess process) {
        this.product = product;
        this.port = port;
        this.folder = folder;
        this.prefix = prefix;
        this.process = process;
    }

    /**
     * Starts one and waits until it accepts connections.
     *
     * @throws IllegalStateException if the programs are missing, with the command that installs them, or if it fails
     */
    public static SqlServer start(Product product) {
        return start(product, List.of());
    }

    /** The same, with a wall clock that can be stepped. */
    public static SqlServer start(Product product, SteppableClock clock) {
        return start(product, clock.prefix());
    }

    private static SqlServer start(Product product, List<String> prefix) {
        product.program(product.probe);
        TestFolder folder = TestFolder.create(product.name().toLowerCase(Locale.ROOT));
        try {
            SqlPrograms.giveTo(product.user, folder.path());
            SqlPrograms.run(folder.path(), SqlPrograms.as(product.user, product.create(folder.path(), data(folder))));
            int port = FreePort.next();
            SqlServer server = new SqlServer(product, port, folder, prefix, launch(product, folder, port, prefix));
            server.process.awaitReady(TIME_TO_START, server::answers);
            return server;
        } catch (RuntimeException failure) {
            folder.close();
            throw failure;
        }
    }

    private static Path data(TestFolder folder) {
        return folder.path().resolve("data");
    }

    private static ServerProcess launch(Product product, TestFolder folder, int port, List<String> prefix) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(product.serve(folder.path(), data(folder), port));
        return ServerProcess.start("database", folder.path(), SqlPrograms.as(product.user, command));
    }

    /** Ends it as a crash does, with all of its processes. */
    public void crash() {
        product.crash(process);
    }

    /** Starts one that has crashed again, on the same port, with what it has on disk; waits until it accepts connections. */
    public void restart() {
        process = launch(product, folder, port, prefix);
        process.awaitReady(TIME_TO_START, this::answers);
    }

    public Product product() {
        return product;
    }

    /** The JDBC address. */
    public String url() {
        return product.url(port);
    }

    public int port() {
        return port;
    }

    /** A user that may do anything, without a password. */
    public String user() {
        return product == Product.POSTGRESQL ? "test" : "root";
    }

    public ServerProcess process() {
        return process;
    }

    @Override
    public void close() {
        process.stop();
        folder.close();
    }

    /** MariaDB greets; PostgreSQL, asked for TLS, answers with one byte, and before it is ready too: so ask for a session. */
    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(5000);
            InputStream in = socket.getInputStream();
            if (product == Product.POSTGRESQL) {
                byte[] body = "user\0test\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
                ByteBuffer startup = ByteBuffer.allocate(8 + body.length);
                startup.putInt(8 + body.length).putInt(0x30000).put(body);
                socket.getOutputStream().write(startup.array());
                return in.read() == 'R';
            }
            return in.read() >= 0;
        } catch (IOException notYet) {
            return false;
        }
    }
}
