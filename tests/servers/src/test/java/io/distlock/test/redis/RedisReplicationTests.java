package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisReplicationTests {

    private static RedisReplication pair;

    @BeforeAll
    static void start() {
        pair = RedisReplication.start(
                RedisServerOptions.defaults().withUser("locker", "secret").withTls());
    }

    @BeforeEach
    void reset() {
        pair.replica().thaw();
        pair.awaitSync();
        pair.master().reset();
    }

    @AfterAll
    static void close() {
        pair.close();
    }

    @Test
    void theReplicaGetsWhatTheMasterIsTold() {
        pair.master().probe().command("SET", "key", "value");

        assertThat(acknowledgementsWithin(Duration.ofSeconds(15))).isEqualTo(1);
        assertThat(pair.replica().probe().get("key")).contains("value");
    }

    @Test
    void aFrozenReplicaAcknowledgesNothing() {
        pair.replica().freeze();
        pair.master().probe().command("SET", "key", "value");

        assertThat(acknowledgementsWithin(Duration.ofMillis(300))).isZero();
    }

    @Test
    void aReplicaThatWasRestartedFollowsAgain() {
        pair.master().probe().command("SET", "key", "value");

        pair.replica().restart();
        pair.awaitSync();

        assertThat(pair.replica().probe().get("key")).contains("value");
    }

    private static long acknowledgementsWithin(Duration time) {
        return pair.master()
                .probe()
                .command("WAIT", "1", Long.toString(time.toMillis()))
                .number();
    }
}
