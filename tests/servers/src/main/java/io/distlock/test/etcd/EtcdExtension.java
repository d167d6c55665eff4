package io.distlock.test.etcd;

import io.distlock.test.process.ServerExtension;
import java.util.Map;

/**
 * Runs an etcd server for a test class, its nested classes included, and empties it before each test. A test may freeze
 * or kill the server: it is thawed or started again for the next.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final EtcdExtension etcd = EtcdExtension.create();
 * }</pre>
 *
 * <p>or, with default options, {@code @ExtendWith(EtcdExtension.class)}. Tests take an {@link EtcdServer}, its
 * {@link EtcdProbe} or its {@link EtcdEndpoint} as parameters, or ask the field. Classes that share an instance must not
 * run at the same time.
 */
public final class EtcdExtension extends ServerExtension<EtcdServer> {

    /** For {@code @ExtendWith}; in code, use {@link #create()}. */
    public EtcdExtension() {
        this(EtcdServerOptions.defaults());
    }

    private EtcdExtension(EtcdServerOptions options) {
        super(
                EtcdServer.class,
                Map.of(
                        EtcdServer.class, server -> server,
                        EtcdProbe.class, EtcdServer::probe,
                        EtcdEndpoint.class, EtcdServer::endpoint),
                () -> EtcdServer.start(options));
    }

    /**
     * With default options.
     *
     * @return the extension
     */
    public static EtcdExtension create() {
        return new EtcdExtension();
    }

    /**
     * With these options.
     *
     * @param options how the server is to be set up
     * @return the extension
     */
    public static EtcdExtension create(EtcdServerOptions options) {
        return new EtcdExtension(options);
    }

    /**
     * The server of the test class that runs.
     *
     * @return the server
     */
    public EtcdServer server() {
        return running();
    }

    /**
     * The server's probe.
     *
     * @return the probe
     */
    public EtcdProbe probe() {
        return server().probe();
    }

    @Override
    protected void reset(EtcdServer server) {
        server.reset();
    }
}
