package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.redis.LettuceContestant.ParallelLettuceContestant;
import io.distlock.benchmarks.redis.RedisStore.RedisCommandCount;
import io.distlock.benchmarks.redis.RedisStore.RedisRoundTrip;
import io.distlock.benchmarks.redis.RedissonContestant.RedissonRedLockContestant;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.NeighbourProcess.Neighbour;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store.QuorumStore;
import io.distlock.benchmarks.store.Store.RoundTrip;
import io.distlock.benchmarks.store.Store.ServerTargets;
import io.distlock.benchmarks.store.Store.ServerWork;
import io.distlock.benchmarks.store.Store.Targets;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Five independent redis-servers on free ports. */
public final class RedlockStore implements QuorumStore {

    private final List<RedisServer> servers;

    private RedlockStore(List<RedisServer> servers) {
        this.servers = servers;
    }

    /** Starts five servers. */
    public static RedlockStore start() {
        return start(5);
    }

    /** Starts as many servers. */
    public static RedlockStore start(int nodes) {
        return new RedlockStore(
                IntStream.range(0, nodes).mapToObj(node -> RedisServer.start()).toList());
    }

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public String server() {
        return "%d x Redis %s"
                .formatted(servers.size(), servers.get(0).probe().info("server").get("redis_version"));
    }

    @Override
    public int servers() {
        return servers.size();
    }

    @Override
    public Targets targets() {
        return new Targets(
                Target.exactly(2 * servers.size()),
                Target.atMost(1.3),
                Target.atLeast(0.8),
                Optional.empty(),
                Optional.empty(),
                new ServerTargets(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Target.atMost(0.9)),
                        Optional.of(Target.countAtMost(8 * servers.size())),
                        Optional.of(Target.atLeast(300))));
    }

    private List<RedisEndpoint> endpoints() {
        return servers.stream().map(RedisServer::endpoint).toList();
    }

    @Override
    public Application application() {
        return RedlockApplication.at(endpoints(), () -> {});
    }

    @Override
    public Application applicationThrough(List<FaultProxy> proxies) {
        return applicationThrough(servers.size(), proxies);
    }

    @Override
    public Application applicationWithASlowServer(Duration distance) {
        List<FaultProxy> proxies = new ArrayList<>();
        Application application = applicationThrough(1, proxies);
        proxies.forEach(proxy -> proxy.delayReplies(distance));
        return application;
    }

    private Application applicationThrough(int distant, List<FaultProxy> proxies) {
        List<RedisEndpoint> nodes = new ArrayList<>(endpoints());
        for (int node = 0; node < distant; node++) {
            FaultProxy proxy =
                    FaultProxy.to(nodes.get(node).host(), nodes.get(node).port());
            proxies.add(proxy);
            nodes.set(node, nodes.get(node).withPort(proxy.port()));
        }
        List<FaultProxy> all = List.copyOf(proxies);
        return RedlockApplication.at(nodes, () -> all.forEach(FaultProxy::close));
    }

    @Override
    public void freezeMinority() {
        servers.subList(0, servers.size() / 2).forEach(RedisServer::freeze);
    }

    @Override
    public Contestant driver() {
        return new ParallelLettuceContestant(endpoints());
    }

    @Override
    public List<Contestant> peers() {
        return List.of(new RedissonRedLockContestant(endpoints()));
    }

    @Override
    public List<Rivals> rivals() {
        return List.of(new Rivals("Redisson RedLock", () -> new RedissonRedLockContestant(endpoints()).rival()));
    }

    @Override
    public ServerWork work() {
        return RedisStore.workOf(servers.stream().map(RedisServer::probe).toList());
    }

    @Override
    public CommandCount countCommands() {
        return new RedisCommandCount(endpoints());
    }

    @Override
    public List<Long> processes() {
        return servers.stream().map(RedisServer::pid).toList();
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

    /**
     * Applications on several Redis servers. With the defaults but for the restart guard, which would begin each run with a
     * minute in which servers just started give no votes; from Redis 7 on it sends no command of its own for a lock.
     */
    static final class RedlockApplication {

        private RedlockApplication() {}

        static Application at(List<RedisEndpoint> nodes, Runnable afterwards) {
            RedlockOptions options = RedlockOptions.defaults().withoutRestartGuard();
            // Never started: only their settings are read.
            List<LettuceConnectionFactory> factories = nodes.stream()
                    .map(node -> new LettuceConnectionFactory(node.host(), node.port()))
                    .toList();
            RedlockConnections connections = RedlockConnections.to(factories, options);
            return Application.start(runtime -> new RedlockProvider(runtime, connections, options), () -> {
                connections.close();
                afterwards.run();
            });
        }
    }

    /** A neighbour's JVM: {@code RedlockNeighbour host port port ...}. */
    static final class RedlockNeighbour {

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
}
