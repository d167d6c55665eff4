package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.neighbour.Neighbour;
import io.distlock.benchmarks.store.Application;

/** A neighbour's JVM: {@code RedisNeighbour host port}. */
final class RedisNeighbour {

    private RedisNeighbour() {}

    public static void main(String[] arguments) {
        try (Application application = RedisApplication.at(arguments[0], Integer.parseInt(arguments[1]))) {
            new Neighbour(application.locks(), System.in, System.out).serve();
        }
    }
}
