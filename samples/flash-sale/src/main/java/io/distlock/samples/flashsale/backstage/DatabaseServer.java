package io.distlock.samples.flashsale.backstage;

import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;

/** An H2 database in a file, served on a free port of the loopback interface. */
public final class DatabaseServer implements AutoCloseable {

    private final Server server;

    private DatabaseServer(Server server) {
        this.server = server;
    }

    /** Starts one; its file goes into the directory. */
    public static DatabaseServer start(Path directory) throws SQLException {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        return new DatabaseServer(
                Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists", "-baseDir", directory.toString())
                        .start());
    }

    /**
     * Sellers without a lock queue for the row instead: LOCK_TIMEOUT gives them the time. The database is closed by
     * us, after its users, and not by a shutdown hook of its own.
     */
    public String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./shop;LOCK_TIMEOUT=30000;DB_CLOSE_ON_EXIT=FALSE";
    }

    @Override
    public void close() {
        server.stop();
    }
}
