package io.distlock.redis.redlock;

import io.distlock.redis.connection.RedisConnections;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The {@link RedisConnections} to each node of Redlock. Creating one does not connect yet. Thread-safe. */
public final class RedlockConnections implements AutoCloseable {

    private final List<Node> nodes;
    private final ClientResources resources;

    /** A node; its name has no secrets. */
    record Node(String name, RedisConnections connections) {}

    private RedlockConnections(List<Node> nodes, ClientResources resources) {
        this.nodes = nodes;
        this.resources = resources;
    }

    /**
     * Connections to independent servers.
     *
     * @param factories one per server, which must be standalone; never started, only their settings are read
     * @param options time limits
     * @throws IllegalArgumentException for fewer than three, an even number, the same address twice, a cluster or
     *     Sentinel
     */
    public static RedlockConnections to(List<LettuceConnectionFactory> factories, RedlockOptions options) {
        requireIndependent(factories);
        ClientResources shared = ClientResources.create();
        // A round wakes one thread, not one per node: replies of several nodes often arrive together.
        EventLoopGroupProvider thread = new DefaultEventLoopGroupProvider(1);
        List<Node> nodes = factories.stream()
                .map(each -> new Node(
                        name(each),
                        RedisConnections.like(each, options.callTimeout(), options.connectTimeout(), shared, thread)))
                .toList();
        return new RedlockConnections(nodes, shared);
    }

    private static String name(LettuceConnectionFactory factory) {
        return factory.getHostName().toLowerCase(Locale.ROOT) + ':' + factory.getPort();
    }

    private static void requireIndependent(List<LettuceConnectionFactory> factories) {
        new Quorum(factories.size());
        Set<String> names = new HashSet<>();
        for (LettuceConnectionFactory each : factories) {
            if (each.isClusterAware() || each.isRedisSentinelAware()) {
                throw new IllegalArgumentException(
                        "a Redlock node must be a standalone server: a cluster, or a server that"
                                + " fails over to a replica, may forget its votes");
            }
            if (!names.add(name(each))) {
                throw new IllegalArgumentException("node " + name(each) + " is listed twice, and would have two votes:"
                        + " list each server once");
            }
        }
    }

    List<Node> nodes() {
        return nodes;
    }

    /** Closes all connections; takes as long as the factories' settings give the driver to shut down. */
    @Override
    public void close() {
        nodes.forEach(node -> node.connections().close());
        resources.shutdown();
    }
}
