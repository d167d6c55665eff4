package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.test.redis.RedisEndpoint;
import java.util.List;
import java.util.Optional;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock as its documentation shows it, with the default configuration for one server. */
final class RedissonContestant implements Contestant {

    /** One client of several that want the same lock. */
    record RedissonRival(RLock lock, Runnable end) implements Rivals.Rival {

        @Override
        public Runnable take() {
            lock.lock();
            return lock::unlock;
        }

        @Override
        public void close() {
            end.run();
        }
    }

    RedissonRival rival() {
        return new RedissonRival(lock("rivals"), this::close);
    }

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
        RLock lock = lock("peer:" + item);
        lock.lock();
        lock.unlock();
    }

    @Override
    public Optional<Object> hold(int item) {
        RLock lock = lock("held:" + item);
        lock.lock();
        return Optional.of(lock);
    }

    private RLock lock(String name) {
        return client.getLock(name);
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
        @SuppressWarnings("LockNotBeforeTry") // there is nothing to try
        public void cycle(int item) {
            RLock lock = lock("peer:" + item);
            lock.lock();
            lock.unlock();
        }

        RedissonRival rival() {
            return new RedissonRival(lock("rivals"), this::close);
        }

        @SuppressWarnings("deprecation") // it is deprecated, and there is no other
        private RLock lock(String name) {
            return new RedissonRedLock(
                    clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
        }

        @Override
        public void close() {
            clients.forEach(RedissonClient::shutdown);
        }
    }
}
