package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contender;
import io.distlock.test.redis.RedisEndpoint;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock as its documentation shows it, with the default configuration for one server. */
final class RedissonContender implements Contender {

    private final RedissonClient client;

    RedissonContender(RedisEndpoint endpoint) {
        Config config = new Config();
        config.useSingleServer().setAddress(endpoint.uri().toString());
        client = Redisson.create(config);
    }

    @Override
    public String name() {
        return "Redisson";
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry") // there is nothing to try
    public void cycle(int item) {
        RLock lock = client.getLock("peer:" + item);
        lock.lock();
        lock.unlock();
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
