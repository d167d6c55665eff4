package io.distlock.test.zookeeper;

import io.distlock.test.process.ServerExtension;
import java.util.Map;

/**
 * Runs a ZooKeeper server for a test class, its nested classes included. A test may freeze or kill the server: it is thawed or
 * started again for the next. What it holds stays: tests use keys of their own.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create();
 * }</pre>
 */
public final class ZooKeeperExtension extends ServerExtension<ZooKeeperServer> {

    private ZooKeeperExtension(ZooKeeperServerOptions options) {
        super(
                ZooKeeperServer.class,
                Map.of(ZooKeeperServer.class, server -> server),
                () -> ZooKeeperServer.start(options));
    }

    /**
     * With default options.
     *
     * @return the extension
     */
    public static ZooKeeperExtension create() {
        return create(ZooKeeperServerOptions.defaults());
    }

    /**
     * With these options.
     *
     * @param options how the server is to be set up
     * @return the extension
     */
    public static ZooKeeperExtension create(ZooKeeperServerOptions options) {
        return new ZooKeeperExtension(options);
    }

    /**
     * The server of the test class that runs.
     *
     * @return the server
     */
    public ZooKeeperServer server() {
        return running();
    }

    @Override
    protected void reset(ZooKeeperServer server) {
        server.wake();
        server.awaitReady();
    }
}
