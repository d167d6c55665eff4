package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.RoundTrip;

/** PING, by the bare driver. */
final class RedisRoundTrip implements RoundTrip {

    private final BareLettuce lettuce;

    RedisRoundTrip(BareLettuce lettuce) {
        this.lettuce = lettuce;
    }

    @Override
    public void ask() {
        BareLettuce.await(lettuce.commands().ping());
    }

    @Override
    public void close() {
        lettuce.close();
    }
}
