package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockException;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.TestClient;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class ClusterNodeLossTests {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** A machine that loses its power closes no connection: nothing is refused, and nothing answered. */
    @Test
    void locksOfANodeThatFellSilentAreHadFromTheReplicaThatTookOver() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisServer replica = RedisServer.start(
                        RedisServerOptions.defaults().withConfig("cluster-enabled yes", "cluster-node-timeout 2000"))) {
            RedisServer master = cluster.nodeOf("lock:{orders}");
            follow(replica.probe(), master, cluster.nodes());
            try (TestClient client = TestClient.of(factory(cluster), RedisLockOptions.defaults())) {
                client.locks
                        .acquire(client.locks.request("orders").withWaitTime(PATIENCE))
                        .close();
                master.freeze();
                await().atMost(PATIENCE).until(() -> role(replica.probe()).equals("master"));
                await().atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(LockException.class)
                        .untilAsserted(() -> client.locks
                                .acquire(client.locks.request("orders"))
                                .close());
                assertThat(replica.probe().keys()).isNotEmpty();
            } finally {
                master.thaw();
            }
        }
    }

    private static void follow(RedisProbe replica, RedisServer master, List<RedisServer> voters) {
        String id = master.probe().command("CLUSTER", "MYID").text();
        replica.command("CLUSTER", "MEET", master.host(), String.valueOf(master.port()));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> replica.command("CLUSTER", "REPLICATE", id).text().equals("OK"));
        await().atMost(PATIENCE)
                .until(() -> "up".equals(replica.info("replication").get("master_link_status")));
        // They vote for a replica only that they know, and it asks only those that it knows.
        for (RedisServer voter : voters) {
            await().atMost(PATIENCE)
                    .until(() ->
                            voter.probe().command("CLUSTER", "NODES").text().contains("slave " + id));
        }
        await().atMost(PATIENCE)
                .until(() -> replica.command("CLUSTER", "NODES").text().lines().count() == voters.size() + 1L);
    }

    private static String role(RedisProbe server) {
        return server.info("replication").getOrDefault("role", "");
    }

    private static LettuceConnectionFactory factory(RedisCluster cluster) {
        RedisClusterConfiguration configuration = new RedisClusterConfiguration();
        cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
        return new LettuceConnectionFactory(configuration);
    }
}
