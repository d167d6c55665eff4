package io.distlock.test.etcd;

import io.distlock.test.process.ServerExtension;
import java.util.Map;

/**
 * Runs an etcd cluster of three members for a test class, its nested classes included, and empties it before each test.
 * A test may freeze or kill members: they are thawed or started again for the next.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final EtcdClusterExtension etcd = EtcdClusterExtension.create();
 * }</pre>
 *
 * <p>or, with default options, {@code @ExtendWith(EtcdClusterExtension.class)}. Tests take an {@link EtcdCluster} as
 * parameter, or ask the field. Classes that share an instance must not run at the same time.
 */
public final class EtcdClusterExtension extends ServerExtension<EtcdCluster> {

    /** For {@code @ExtendWith}; in code, use {@link #create()}. */
    public EtcdClusterExtension() {
        this(EtcdServerOptions.defaults());
    }

    private EtcdClusterExtension(EtcdServerOptions options) {
        super(EtcdCluster.class, Map.of(EtcdCluster.class, cluster -> cluster), () -> EtcdCluster.start(options));
    }

    /**
     * With default options.
     *
     * @return the extension
     */
    public static EtcdClusterExtension create() {
        return new EtcdClusterExtension();
    }

    /**
     * With these options.
     *
     * @param options how each member is to be set up
     * @return the extension
     */
    public static EtcdClusterExtension create(EtcdServerOptions options) {
        return new EtcdClusterExtension(options);
    }

    /**
     * The cluster of the test class that runs.
     *
     * @return the cluster
     */
    public EtcdCluster cluster() {
        return running();
    }

    @Override
    protected void reset(EtcdCluster cluster) {
        cluster.reset();
    }
}
