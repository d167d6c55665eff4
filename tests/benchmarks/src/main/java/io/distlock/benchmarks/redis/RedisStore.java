package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.CommandCount;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.RoundTrip;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Targets;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One redis-server on a free port. */
public final class RedisStore implements Store {

    private final RedisServer server;

    private RedisStore(RedisServer server) {
        this.server = server;
    }

    /** Starts the server. */
    public static RedisStore start() {
        return new RedisStore(RedisServer.start());
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public String server() {
        return "Redis " + server.probe().info("server").get("redis_version");
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public Targets targets() {
        return new Targets(
                Target.exactly(2),
                Target.atMost(1.15),
                Target.atLeast(0.9),
                Optional.of(Target.atMost(1.4)),
                Optional.of(Target.countAtMost(600)));
    }

    @Override
    public Application application() {
        return RedisApplication.at(server.host(), server.port());
    }

    @Override
    public Application distantApplication(Duration distance) {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        Application application = RedisApplication.at(proxy.host(), proxy.port(), proxy::close);
        proxy.delayReplies(distance);
        return application;
    }

    @Override
    public Contender driver() {
        return new LettuceContender(new BareLettuce(server.endpoint()));
    }

    @Override
    public List<Contender> peers() {
        return List.of(new RedissonContender(server.endpoint()));
    }

    @Override
    public CommandCount countCommands() {
        return new RedisCommandCount(List.of(server.endpoint()));
    }

    @Override
    public RoundTrip roundTrip() {
        return new RedisRoundTrip(new BareLettuce(server.endpoint()));
    }

    @Override
    public List<String> neighbour() {
        return List.of(RedisNeighbour.class.getName(), server.host(), Integer.toString(server.port()));
    }

    @Override
    public void close() {
        server.close();
    }
}
