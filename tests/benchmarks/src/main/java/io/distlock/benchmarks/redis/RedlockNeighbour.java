package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.neighbour.Neighbour;
import io.distlock.benchmarks.store.Application;
import io.distlock.test.redis.RedisEndpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A neighbour's JVM: {@code RedlockNeighbour host port port ...}. */
final class RedlockNeighbour {

    private RedlockNeighbour() {}

    public static void main(String[] arguments) {
        List<RedisEndpoint> nodes = Arrays.stream(arguments)
                .skip(1)
                .map(port ->
                        new RedisEndpoint(arguments[0], Integer.parseInt(port), Optional.empty(), Optional.empty()))
                .toList();
        try (Application application = RedlockApplication.at(nodes, () -> {})) {
            new Neighbour(application.locks(), System.in, System.out).serve();
        }
    }
}
