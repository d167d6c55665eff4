package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisClusterTests {

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(RedisServerOptions.defaults().withPassword("secret"));
    }

    @AfterAll
    static void close() {
        cluster.close();
    }

    @Test
    void everyKeyIsServedByItsNode() {
        IntStream.range(0, 100).mapToObj(i -> "key" + i).forEach(key -> {
            cluster.nodeOf(key).probe().command("SET", key, "value");

            assertThat(cluster.nodeOf(key).probe().get(key)).contains("value");
        });
    }

    @Test
    void everyNodeServesSomeKeys() {
        Set<RedisServer> nodes =
                IntStream.range(0, 100).mapToObj(i -> cluster.nodeOf("key" + i)).collect(Collectors.toSet());

        assertThat(nodes).containsExactlyInAnyOrderElementsOf(cluster.nodes());
    }

    @Test
    void aNodeSendsClientsOnToTheRightOne() {
        RedisServer right = cluster.nodeOf("key");
        RedisServer wrong = cluster.nodes().stream()
                .filter(node -> node != right)
                .findFirst()
                .orElseThrow();

        assertThatThrownBy(() -> wrong.probe().get("key"))
                .hasMessageStartingWith("MOVED")
                .hasMessageEndingWith(":" + right.port());
    }

    @Test
    void aClusterCanHaveMoreMasters() {
        try (RedisCluster six = RedisCluster.start(RedisServerOptions.defaults(), 6)) {
            IntStream.range(0, 100)
                    .mapToObj(i -> "key" + i)
                    .forEach(key -> six.nodeOf(key).probe().command("SET", key, "value"));

            assertThat(six.nodes())
                    .hasSize(6)
                    .allSatisfy(node ->
                            assertThat(node.probe().command("DBSIZE").number()).isPositive());
        }
    }
}
