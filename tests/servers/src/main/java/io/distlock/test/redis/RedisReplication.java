package io.distlock.test.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** A master and its replica: for WAIT, and for what is lost when a master is replaced. */
public final class RedisReplication implements AutoCloseable {

    private static final Duration TIME_TO_SYNC = Duration.ofSeconds(60);

    private final ServerGroup servers;
    private final RedisServer master;
    private final RedisServer replica;

    private RedisReplication(ServerGroup servers, RedisServer master, RedisServer replica) {
        this.servers = servers;
        this.master = master;
        this.replica = replica;
    }

    /**
     * Starts both with default options.
     *
     * @return a pair in sync
     */
    public static RedisReplication start() {
        return start(RedisServerOptions.defaults());
    }

    /**
     * Starts both.
     *
     * @param options how each is to be set up
     * @return a pair in sync
     */
    public static RedisReplication start(RedisServerOptions options) {
        ServerGroup servers = new ServerGroup();
        return servers.setUp(() -> {
            RedisServer master = servers.start(options);
            String follow = "replicaof %s %d".formatted(master.host(), master.port());
            RedisReplication pair = new RedisReplication(servers, master, servers.start(options.withConfig(follow)));
            pair.awaitSync();
            return pair;
        });
    }

    /**
     * The server that started as master.
     *
     * @return the server
     */
    public RedisServer master() {
        return master;
    }

    /**
     * The server that started as replica.
     *
     * @return the server
     */
    public RedisServer replica() {
        return replica;
    }

    /** Waits until the replica acknowledges what the master is told, as it does from here on within a round trip. */
    public void awaitSync() {
        await().atMost(TIME_TO_SYNC).until(this::isInSync);
    }

    @Override
    public void close() {
        servers.close();
    }

    private boolean isInSync() {
        return "up".equals(replica.probe().info("replication").get("master_link_status")) && replicaAcknowledges();
    }

    /**
     * A master calls its replica online some time before it sends it anything (7.0 waits for a sign of life first, which
     * comes once a second), so only an acknowledgement will do. A message is replicated like a write and leaves no key.
     */
    private boolean replicaAcknowledges() {
        master.probe().command("PUBLISH", "distlock-probe", "in sync?");
        return master.probe().command("WAIT", "1", "500").number() == 1;
    }
}
