package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RedisSentinelTests {

    @Test
    void sentinelsKnowTheMaster() {
        try (RedisSentinel sentinel = RedisSentinel.start(3)) {
            assertThat(sentinel.sentinels()).hasSize(3);
            assertThat(sentinel.currentMaster()).isSameAs(sentinel.servers().get(0));
        }
    }

    @Test
    void theReplicaTakesOverOnDemand() {
        try (RedisSentinel sentinel = RedisSentinel.start()) {
            RedisServer before = sentinel.currentMaster();

            sentinel.failOver();

            assertThat(sentinel.currentMaster()).isNotSameAs(before);
            assertThat(sentinel.currentMaster()
                            .probe()
                            .command("SET", "key", "value")
                            .text())
                    .isEqualTo("OK");
        }
    }

    @Test
    void theReplicaTakesOverFromADeadMaster() {
        try (RedisSentinel sentinel = RedisSentinel.start()) {
            RedisServer before = sentinel.currentMaster();

            before.kill();
            sentinel.awaitMasterOtherThan(before);

            assertThat(sentinel.currentMaster()).isSameAs(sentinel.servers().get(1));
        }
    }

    @Test
    void anEvenNumberOfSentinelsIsRefused() {
        assertThatThrownBy(() -> RedisSentinel.start(2).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("odd");
    }
}
