package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisConnectionsTests {

    private static final Duration TIME_LIMIT = Duration.ofSeconds(1);

    /** Of a factory made like this, the accessor for a single server returns one on this machine. */
    @Test
    void locksAreInTheRedisOfAFactoryMadeFromAUri() {
        RedisConfiguration made = LettuceConnectionFactory.createRedisConfiguration("redis://redis.example:7000/3");
        try (RedisConnections connections =
                RedisConnections.like(new LettuceConnectionFactory(made), TIME_LIMIT, TIME_LIMIT)) {
            assertThat(connections.address()).isEqualTo("Redis redis.example:7000");
            assertThat(connections.database()).isEqualTo(3);
        }
    }
}
