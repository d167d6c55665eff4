package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.CommandCount;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import java.util.List;

/** By MONITOR, which tells what clients send from what their scripts do; of one server, or of several together. */
final class RedisCommandCount implements CommandCount {

    private final List<RedisProbe> probes;
    private final List<CommandRecorder> recorders;

    RedisCommandCount(List<RedisEndpoint> endpoints) {
        probes = endpoints.stream().map(RedisProbe::open).toList();
        recorders = probes.stream().map(RedisProbe::record).toList();
    }

    @Override
    public int soFar() {
        return recorders.stream().mapToInt(each -> each.commands().size()).sum();
    }

    @Override
    public void close() {
        recorders.forEach(CommandRecorder::close);
        probes.forEach(RedisProbe::close);
    }
}
