package io.distlock.redis;

import io.distlock.redis.connection.RedisConnections;
import io.distlock.test.redis.RedisEndpoint;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories as an application would have them. They are never started: only their settings are read. */
public final class LocalRedis {

    private LocalRedis() {}

    public static LettuceConnectionFactory factory(RedisEndpoint endpoint) {
        return factory(endpoint, 0);
    }

    public static LettuceConnectionFactory factory(RedisEndpoint endpoint, int database) {
        return factory(endpoint, database, LettuceClientConfiguration.builder().build());
    }

    public static LettuceConnectionFactory factory(
            RedisEndpoint endpoint, int database, LettuceClientConfiguration configuration) {
        RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration(endpoint.host(), endpoint.port());
        standalone.setDatabase(database);
        endpoint.credentials().ifPresent(credentials -> {
            credentials.user().ifPresent(standalone::setUsername);
            standalone.setPassword(RedisPassword.of(credentials.password()));
        });
        return new LettuceConnectionFactory(standalone, configuration);
    }

    public static RedisConnections connections(RedisEndpoint endpoint) {
        return connections(endpoint, TestClient.PATIENT);
    }

    public static RedisConnections connections(RedisEndpoint endpoint, RedisLockOptions options) {
        return RedisConnections.like(factory(endpoint), options.callTimeout(), options.connectTimeout());
    }
}
