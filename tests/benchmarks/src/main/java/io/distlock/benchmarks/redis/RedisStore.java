package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.LockServers.CommandCount;
import io.distlock.benchmarks.store.NeighbourProcess.Neighbour;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.RoundTrip;
import io.distlock.benchmarks.store.Store.ServerTargets;
import io.distlock.benchmarks.store.Store.ServerWork;
import io.distlock.benchmarks.store.Store.Targets;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import java.util.List;
import java.util.Optional;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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
                Optional.of(Target.countAtMost(600)),
                new ServerTargets(
                        Optional.of(Target.countAtMost(9)),
                        Optional.of(Target.atMost(1.5)),
                        Optional.of(Target.countAtMost(2_100)),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }

    @Override
    public Application application() {
        return RedisApplication.at(server.host(), server.port());
    }

    @Override
    public Application applicationThrough(List<FaultProxy> proxies) {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        proxies.add(proxy);
        return RedisApplication.at(proxy.host(), proxy.port(), proxy::close);
    }

    @Override
    public Contestant driver() {
        return new LettuceContestant(new BareLettuce(server.endpoint()));
    }

    @Override
    public List<Contestant> peers() {
        return List.of(
                new SetIfAbsentContestant(new BareLettuce(server.endpoint())),
                new RedissonContestant(server.endpoint()));
    }

    @Override
    public List<Rivals> rivals() {
        return List.of(new Rivals("Redisson", () -> new RedissonContestant(server.endpoint()).rival()));
    }

    @Override
    public ServerWork work() {
        return workOf(List.of(server.probe()));
    }

    /** By INFO, of which each question counts for one command. */
    static ServerWork workOf(List<RedisProbe> probes) {
        double commands = 0;
        double cpu = 0;
        for (RedisProbe probe : probes) {
            commands += probe.info("commandstats").values().stream()
                    .mapToLong(each -> Long.parseLong(each.substring("calls=".length(), each.indexOf(','))))
                    .sum();
            var info = probe.info("cpu");
            cpu += Double.parseDouble(info.get("used_cpu_user")) + Double.parseDouble(info.get("used_cpu_sys"));
        }
        return new ServerWork(commands, cpu * 1e9);
    }

    @Override
    public CommandCount countCommands() {
        return count(List.of(server.endpoint()));
    }

    /** By MONITOR of all of them. */
    public static CommandCount count(List<RedisEndpoint> servers) {
        return new RedisCommandCount(servers);
    }

    @Override
    public List<Long> processes() {
        return List.of(server.pid());
    }

    /** An application on the masters of a cluster. */
    public static Application applicationAt(List<RedisEndpoint> masters) {
        RedisClusterConfiguration nodes = new RedisClusterConfiguration();
        masters.forEach(each -> nodes.addClusterNode(new RedisNode(each.host(), each.port())));
        return RedisApplication.at(new LettuceConnectionFactory(nodes), () -> {});
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

    /** Applications on a Redis, as Boot would wire them. */
    static final class RedisApplication {

        private RedisApplication() {}

        static Application at(String host, int port, Runnable afterwards) {
            return at(new LettuceConnectionFactory(host, port), afterwards);
        }

        /** The factory is never started: only its settings are read. */
        static Application at(LettuceConnectionFactory settings, Runnable afterwards) {
            RedisLockOptions options = RedisLockOptions.defaults();
            RedisConnections connections =
                    RedisConnections.like(settings, options.callTimeout(), options.connectTimeout());
            return Application.start(runtime -> new RedisLockProvider(runtime, connections, options), () -> {
                connections.close();
                afterwards.run();
            });
        }

        static Application at(String host, int port) {
            return at(host, port, () -> {});
        }
    }

    /** By MONITOR, which tells what clients send from what their scripts do; of one server, or of several together. */
    static final class RedisCommandCount implements CommandCount {

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

    /** PING, by the bare driver. */
    static final class RedisRoundTrip implements RoundTrip {

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

    /** A neighbour's JVM: {@code RedisNeighbour host port}. */
    static final class RedisNeighbour {

        private RedisNeighbour() {}

        public static void main(String[] arguments) {
            try (Application application = RedisApplication.at(arguments[0], Integer.parseInt(arguments[1]))) {
                new Neighbour(application.locks(), System.in, System.out).serve();
            }
        }
    }
}
