package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.CommandCount;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.QuorumStore;
import io.distlock.benchmarks.store.RoundTrip;
import io.distlock.benchmarks.store.Targets;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Five independent redis-servers on free ports. */
public final class RedlockStore implements QuorumStore {

    private static final int NODES = 5;
    private static final int MINORITY = NODES / 2;

    private final List<RedisServer> servers;

    private RedlockStore(List<RedisServer> servers) {
        this.servers = servers;
    }

    /** Starts the servers. */
    public static RedlockStore start() {
        return new RedlockStore(
                IntStream.range(0, NODES).mapToObj(node -> RedisServer.start()).toList());
    }

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public String server() {
        return "%d x Redis %s"
                .formatted(NODES, servers.get(0).probe().info("server").get("redis_version"));
    }

    @Override
    public int servers() {
        return NODES;
    }

    @Override
    public Targets targets() {
        return new Targets(
                Target.exactly(2 * NODES), Target.atMost(1.3), Target.atLeast(0.8), Optional.empty(), Optional.empty());
    }

    private List<RedisEndpoint> endpoints() {
        return servers.stream().map(RedisServer::endpoint).toList();
    }

    @Override
    public Application application() {
        return RedlockApplication.at(endpoints(), () -> {});
    }

    @Override
    public Application distantApplication(Duration distance) {
        return distantApplication(NODES, distance);
    }

    @Override
    public Application applicationWithASlowServer(Duration distance) {
        return distantApplication(1, distance);
    }

    private Application distantApplication(int distant, Duration distance) {
        List<RedisEndpoint> nodes = new ArrayList<>(endpoints());
        List<FaultProxy> proxies = new ArrayList<>();
        for (int node = 0; node < distant; node++) {
            FaultProxy proxy =
                    FaultProxy.to(nodes.get(node).host(), nodes.get(node).port());
            proxies.add(proxy);
            nodes.set(node, nodes.get(node).withPort(proxy.port()));
        }
        Application application = RedlockApplication.at(nodes, () -> proxies.forEach(FaultProxy::close));
        proxies.forEach(proxy -> proxy.delayReplies(distance));
        return application;
    }

    @Override
    public Application applicationWithFrozenServers() {
        Application application = application();
        servers.subList(0, MINORITY).forEach(RedisServer::freeze);
        return application;
    }

    @Override
    public Contender driver() {
        return new ParallelLettuceContender(endpoints());
    }

    @Override
    public List<Contender> peers() {
        return List.of(new RedissonRedLockContender(endpoints()));
    }

    @Override
    public CommandCount countCommands() {
        return new RedisCommandCount(endpoints());
    }

    /** That of one server. */
    @Override
    public RoundTrip roundTrip() {
        return new RedisRoundTrip(new BareLettuce(servers.get(0).endpoint()));
    }

    @Override
    public List<String> neighbour() {
        return Stream.concat(
                        Stream.of(
                                RedlockNeighbour.class.getName(), servers.get(0).host()),
                        servers.stream().map(server -> Integer.toString(server.port())))
                .toList();
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
