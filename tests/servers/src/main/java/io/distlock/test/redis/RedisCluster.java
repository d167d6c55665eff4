package io.distlock.test.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis Cluster of masters without replicas, three if not told otherwise, with as many slots each. It is put together by CLUSTER
 * commands that 6.2 has too.
 */
public final class RedisCluster implements AutoCloseable {

    private static final int THREE = 3;
    private static final int SLOTS = 16_384;
    private static final Duration TIME_TO_MEET = Duration.ofSeconds(60);

    private final ServerGroup servers;
    private final List<RedisServer> nodes;

    private RedisCluster(ServerGroup servers, List<RedisServer> nodes) {
        this.servers = servers;
        this.nodes = nodes;
    }

    /**
     * Starts one with default options.
     *
     * @return a cluster whose nodes all serve their slots
     */
    public static RedisCluster start() {
        return start(RedisServerOptions.defaults());
    }

    /**
     * Starts one.
     *
     * @param options how each node is to be set up
     * @return a cluster whose nodes all serve their slots
     */
    public static RedisCluster start(RedisServerOptions options) {
        return start(options, THREE);
    }

    /**
     * Starts one of another size.
     *
     * @param options how each node is to be set up
     * @param masters how many there are
     * @return a cluster whose nodes all serve their slots
     */
    public static RedisCluster start(RedisServerOptions options, int masters) {
        RedisServerOptions node = options.withConfig("cluster-enabled yes", "cluster-node-timeout 2000");
        ServerGroup servers = new ServerGroup();
        return servers.setUp(() -> {
            List<RedisServer> nodes =
                    Stream.generate(() -> servers.start(node)).limit(masters).toList();
            RedisCluster cluster = new RedisCluster(servers, nodes);
            cluster.shareSlots();
            cluster.meet();
            await().atMost(TIME_TO_MEET).until(() -> nodes.stream().allMatch(cluster::isOk));
            return cluster;
        });
    }

    /**
     * The masters.
     *
     * @return all of them, by ascending slots
     */
    public List<RedisServer> nodes() {
        return nodes;
    }

    /**
     * The master that serves a key.
     *
     * @param key the key
     * @return one of {@link #nodes()}
     */
    public RedisServer nodeOf(String key) {
        long slot = nodes.get(0).probe().command("CLUSTER", "KEYSLOT", key).number();
        return nodes.stream()
                .filter(node -> slot < firstSlot(nodes.indexOf(node) + 1))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        servers.close();
    }

    private void shareSlots() {
        for (int i = 0; i < nodes.size(); i++) {
            RedisProbe probe = nodes.get(i).probe();
            // Else the nodes start with the same epoch, and have to find out which of them gives way.
            probe.command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
            Stream<String> slots =
                    IntStream.range(firstSlot(i), firstSlot(i + 1)).mapToObj(String::valueOf);
            probe.command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
        }
    }

    private void meet() {
        RedisProbe first = nodes.get(0).probe();
        for (RedisServer other : nodes.subList(1, nodes.size())) {
            first.command("CLUSTER", "MEET", other.host(), String.valueOf(other.port()));
        }
    }

    private int firstSlot(int node) {
        return SLOTS * node / nodes.size();
    }

    private boolean isOk(RedisServer node) {
        String info = node.probe().command("CLUSTER", "INFO").text();
        List<String> lines = info.lines().toList();
        return lines.containsAll(List.of("cluster_state:ok", "cluster_known_nodes:" + nodes.size()));
    }
}
