package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.test.redis.RedisEndpoint;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock as its documentation shows it, with the default configuration for one server. */
final class RedissonContestant implements Contestant {

    private final RedissonClient client;

    RedissonContestant(RedisEndpoint endpoint) {
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

    /** Redisson's Redlock as its documentation shows it, a client for each server with the default configuration. */
    static final class RedissonRedLockContestant implements Contestant {

        private final List<RedissonClient> clients;

        RedissonRedLockContestant(List<RedisEndpoint> endpoints) {
            clients = endpoints.stream().map(RedissonRedLockContestant::client).toList();
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
            RLock[] locks = clients.stream()
                    .map(client -> client.getLock("peer:" + item))
                    .toArray(RLock[]::new);
            RedissonRedLock lock = new RedissonRedLock(locks);
            lock.lock();
            lock.unlock();
        }

        @Override
        public void close() {
            clients.forEach(RedissonClient::shutdown);
        }
    }
}
