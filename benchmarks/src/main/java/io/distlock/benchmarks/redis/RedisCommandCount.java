package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.CommandCount;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;

/** By MONITOR, which tells what clients send from what their scripts do. */
final class RedisCommandCount implements CommandCount {

    private final RedisProbe probe;
    private final CommandRecorder recorder;

    RedisCommandCount(RedisEndpoint endpoint) {
        probe = RedisProbe.open(endpoint);
        recorder = probe.record();
    }

    @Override
    public int soFar() {
        return recorder.commands().size();
    }

    @Override
    public void close() {
        recorder.close();
        probe.close();
    }
}
