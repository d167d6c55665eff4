package io.distlock.test.redis;

import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A master, its replica, and sentinels that put the replica in the master's place as soon as one of them (quorum 1)
 * has missed the master for half a second and most of them agree who is to do it.
 */
public final class RedisSentinel implements AutoCloseable {

    private static final String MASTER_NAME = "mymaster";
    private static final Duration TIME_TO_AGREE = Duration.ofSeconds(60);

    private final RedisReplication data;
    private final ServerGroup group;
    private final List<RedisServer> sentinels;

    private RedisSentinel(RedisReplication data, ServerGroup group, List<RedisServer> sentinels) {
        this.data = data;
        this.group = group;
        this.sentinels = sentinels;
    }

    /**
     * Starts a master, a replica and one sentinel.
     *
     * @return a set-up that is ready to fail over
     */
    public static RedisSentinel start() {
        return start(1);
    }

    /**
     * Starts a master, a replica and sentinels.
     *
     * @param sentinels how many; odd
     * @return a set-up that is ready to fail over
     */
    public static RedisSentinel start(int sentinels) {
        if (sentinels < 1 || sentinels % 2 == 0) {
            throw new IllegalArgumentException(
                    "%d sentinels: must be odd, so that most can agree".formatted(sentinels));
        }
        RedisReplication data = RedisReplication.start();
        ServerGroup group = new ServerGroup();
        try {
            return group.setUp(() -> watch(data, group, sentinels));
        } catch (RuntimeException e) {
            data.close();
            throw e;
        }
    }

    /**
     * The name by which clients ask for the master.
     *
     * @return the name
     */
    public String masterName() {
        return MASTER_NAME;
    }

    /**
     * The two servers that hold data.
     *
     * @return both; which one is the master changes
     */
    public List<RedisServer> servers() {
        return List.of(data.master(), data.replica());
    }

    /**
     * The sentinels.
     *
     * @return all of them
     */
    public List<RedisServer> sentinels() {
        return sentinels;
    }

    /**
     * The server that the first sentinel takes for the master.
     *
     * @return one of {@link #servers()}
     */
    public RedisServer currentMaster() {
        List<String> address = sentinels
                .get(0)
                .probe()
                .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)
                .texts();
        int port = Integer.parseInt(address.get(1));
        return servers().stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server of ours listens on " + address));
    }

    /** Lets the replica take the master's place, and waits until it has. */
    public void failOver() {
        RedisServer before = currentMaster();
        sentinels.get(0).probe().command("SENTINEL", "FAILOVER", MASTER_NAME);
        awaitMasterOtherThan(before);
    }

    /**
     * Waits until another server is the master, by its own account and the first sentinel's.
     *
     * @param before the master so far
     */
    public void awaitMasterOtherThan(RedisServer before) {
        // Sentinel disconnects all clients of a server whose role it changes, probes too.
        await().atMost(TIME_TO_AGREE)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> {
                    RedisServer master = currentMaster();
                    return master != before
                            && "master"
                                    .equals(master.probe().info("replication").get("role"));
                });
    }

    @Override
    public void close() {
        group.close();
        data.close();
    }

    private static RedisSentinel watch(RedisReplication data, ServerGroup group, int count) {
        RedisServer master = data.master();
        RedisServerOptions options = RedisServerOptions.defaults()
                .withConfig(
                        "sentinel monitor %s %s %d 1".formatted(MASTER_NAME, master.host(), master.port()),
                        "sentinel down-after-milliseconds %s 2000".formatted(MASTER_NAME),
                        "sentinel failover-timeout %s 3000".formatted(MASTER_NAME));
        List<RedisServer> sentinels = IntStream.range(0, count)
                .mapToObj(i -> group.start(options, "--sentinel"))
                .toList();
        RedisSentinel setUp = new RedisSentinel(data, group, sentinels);
        await().atMost(TIME_TO_AGREE).until(() -> sentinels.stream().allMatch(setUp::knowsAll));
        return setUp;
    }

    private boolean knowsAll(RedisServer sentinel) {
        Map<String, String> master = pairs(sentinel.probe().command("SENTINEL", "MASTER", MASTER_NAME));
        Stream<Map<String, String>> replicas =
                sentinel.probe().command("SENTINEL", "REPLICAS", MASTER_NAME).items().stream()
                        .map(RedisSentinel::pairs);
        return String.valueOf(sentinels.size() - 1).equals(master.get("num-other-sentinels"))
                && "master".equals(master.get("flags"))
                && replicas.filter(replica -> "ok".equals(replica.get("master-link-status")))
                                .count()
                        == 1;
    }

    private static Map<String, String> pairs(RedisReply reply) {
        List<String> texts = reply.texts();
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            pairs.put(texts.get(i), texts.get(i + 1));
        }
        return pairs;
    }
}
