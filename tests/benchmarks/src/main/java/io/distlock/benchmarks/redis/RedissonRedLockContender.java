package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contender;
import io.distlock.test.redis.RedisEndpoint;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's Redlock as its documentation shows it, a client for each server with the default configuration. */
final class RedissonRedLockContender implements Contender {

    private final List<RedissonClient> clients;

    RedissonRedLockContender(List<RedisEndpoint> endpoints) {
        clients = endpoints.stream().map(RedissonRedLockContender::client).toList();
    }

    private static RedissonClient client(RedisEndpoint endpoint) {
        Config config = new Config();
        config.useSingleServer().setAddress(endpoint.uri().toString());
        return Redisson.create(config);
    }

    @Override
    public String name() {
        return "Redisson RedLock";
    }

    @Override
    @SuppressWarnings({
        "LockNotBeforeTry", // there is nothing to try
        "deprecation" // it is deprecated, and there is no other
    })
    public void cycle(int item) {
        RLock[] locks =
                clients.stream().map(client -> client.getLock("peer:" + item)).toArray(RLock[]::new);
        RedissonRedLock lock = new RedissonRedLock(locks);
        lock.lock();
        lock.unlock();
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
