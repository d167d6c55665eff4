package io.distlock.redis.redlock;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.OptionalLong;

/** A client whose time can be stopped: what has just happened stays so, and only messages end longer pauses. */
final class StandingTestClient implements AutoCloseable {

    private static final Duration SHORT = Duration.ofMillis(50);

    private final LockRuntime real = LockRuntime.start();
    private final RedlockConnections connections;
    private final RedlockProvider provider;
    private final LockClient locks;
    private volatile OptionalLong stopped = OptionalLong.empty();

    StandingTestClient(RedisServersExtension nodes) {
        LockRuntime runtime = new LockRuntime(new StandingTicker(), new StandingScheduler());
        connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
        provider = new RedlockProvider(runtime, connections, RedlockTestClient.PATIENT);
        locks = LockClientBuilder.of(provider, runtime)
                .shutdownTimeout(Duration.ZERO)
                .build();
        locks.acquire(locks.request("warm").withWaitTime(RedlockTestClient.PATIENCE))
                .close();
    }

    LockClient locks() {
        return locks;
    }

    void stopTime() {
        stopped = OptionalLong.of(Ticker.system().nanos());
    }

    @Override
    public void close() {
        stopped = OptionalLong.empty();
        locks.close();
        provider.close();
        connections.close();
        real.close();
    }

    private final class StandingTicker implements Ticker {

        @Override
        public long nanos() {
            return stopped.orElseGet(Ticker.system()::nanos);
        }

        @Override
        public long wallMillis() {
            return Ticker.system().wallMillis();
        }
    }

    private final class StandingScheduler implements LockScheduler {

        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            boolean never = stopped.isPresent() && delay.compareTo(SHORT) > 0;
            return never ? () -> {} : real.scheduler().schedule(task, delay);
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
