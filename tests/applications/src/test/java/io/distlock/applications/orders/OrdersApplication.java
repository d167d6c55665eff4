package io.distlock.applications.orders;

import io.distlock.applications.Gate;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.support.LockRuntime;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.EnableAsync;

/** Spring MVC, JPA and virtual threads; locks in a Redis of their own. */
@SpringBootApplication
@EnableAsync
class OrdersApplication {

    @Bean
    RedisConnections lockConnections(
            LockRuntime runtime,
            RedisLockOptions options,
            @Value("${orders.locks.host}") String host,
            @Value("${orders.locks.port}") int port) {
        var server = new RedisStandaloneConfiguration(host, port);
        return RedisConnections.like(
                new LettuceConnectionFactory(server), options.callTimeout(), options.connectTimeout());
    }

    @Bean
    Gate gate() {
        return new Gate();
    }
}
