package io.distlock.test.redis;

import io.distlock.test.process.ServerExtension;
import java.util.Map;

/**
 * Runs a Redis server for a test class, its nested classes included, and empties it before each test. A test may freeze
 * or kill the server: it is thawed or started again for the next.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisExtension redis = RedisExtension.create();
 * }</pre>
 *
 * <p>or, with default options, {@code @ExtendWith(RedisExtension.class)}. Tests take a {@link RedisServer}, its
 * {@link RedisProbe} or its {@link RedisEndpoint} as parameters, or ask the field. Classes that share an instance must
 * not run at the same time.
 */
public final class RedisExtension extends ServerExtension<RedisServer> {

    /** For {@code @ExtendWith}; in code, use {@link #create()}. */
    public RedisExtension() {
        this(RedisServerOptions.defaults());
    }

    private RedisExtension(RedisServerOptions options) {
        super(
                RedisServer.class,
                Map.of(
                        RedisServer.class, server -> server,
                        RedisProbe.class, RedisServer::probe,
                        RedisEndpoint.class, RedisServer::endpoint),
                () -> RedisServer.start(options));
    }

    /**
     * With default options.
     *
     * @return the extension
     */
    public static RedisExtension create() {
        return new RedisExtension();
    }

    /**
     * With these options.
     *
     * @param options how the server is to be set up
     * @return the extension
     */
    public static RedisExtension create(RedisServerOptions options) {
        return new RedisExtension(options);
    }

    /**
     * The server of the test class that runs.
     *
     * @return the server
     */
    public RedisServer server() {
        return running();
    }

    /**
     * The server's probe.
     *
     * @return the probe
     */
    public RedisProbe probe() {
        return server().probe();
    }

    @Override
    protected void reset(RedisServer server) {
        server.reset();
    }
}
