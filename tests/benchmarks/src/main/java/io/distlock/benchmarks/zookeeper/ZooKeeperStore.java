package io.distlock.benchmarks.zookeeper;

import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.NeighbourProcess.Neighbour;
import io.distlock.benchmarks.store.ProcessorTime;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.Store;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.zookeeper.ZooKeeperServer;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import io.distlock.zookeeper.ZooKeeperLockOptions;
import io.distlock.zookeeper.ZooKeeperLockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFrameworkFactory;

/** One ZooKeeper server on a free port, without fsync. Compared with Curator: that is what its users have. */
public final class ZooKeeperStore implements Store {

    /** A session is longer than the lease that it carries: by 7.8 s with one of 30 s, and the server counts in ticks. */
    private static final Duration LATE = Duration.ofSeconds(9);

    private final ZooKeeperServer server;

    private ZooKeeperStore(ZooKeeperServer server) {
        this.server = server;
    }

    /** Starts the server. */
    public static ZooKeeperStore start() {
        // A lock's node stays for a while after its last use, as usual, however slow the machine is.
        return new ZooKeeperStore(ZooKeeperServer.start(
                ZooKeeperServerOptions.defaults().withSystemProperty("znode.container.checkIntervalMs", "60000")));
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public String server() {
        String said = server.ask("srvr").lines().findFirst().orElse("");
        return "ZooKeeper " + said.replaceAll("Zookeeper version: ([^-,]*).*", "$1");
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public Targets targets() {
        return new Targets(
                Target.countAtMost(3.2),
                Target.atMost(1),
                Target.atLeast(1),
                Optional.empty(),
                Optional.empty(),
                1,
                LATE,
                new ServerTargets(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Target.atMost(1)),
                        Optional.of(Target.countAtMost(5)),
                        Optional.empty()));
    }

    @Override
    public Application application() {
        return application(server.connectString(), () -> {});
    }

    @Override
    public Application applicationThrough(List<FaultProxy> proxies) {
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        proxies.add(proxy);
        return application(proxy.host() + ':' + proxy.port(), proxy::close);
    }

    /** An application on one server, or on several that are one ZooKeeper. */
    public static Application applicationAt(String connectString) {
        return application(connectString, () -> {});
    }

    private static Application application(String connectString, Runnable afterwards) {
        return Application.start(
                runtime -> new ZooKeeperLockProvider(
                        runtime,
                        CuratorFrameworkFactory.builder().connectString(connectString),
                        ZooKeeperLockOptions.defaults()),
                afterwards);
    }

    @Override
    public Contestant driver() {
        return new CuratorContestant(server.connectString());
    }

    @Override
    public List<Contestant> peers() {
        return List.of(new BareZooKeeper(server.connectString()));
    }

    @Override
    public List<Rivals> rivals() {
        return List.of(new Rivals("Curator", () -> new CuratorContestant(server.connectString()).rival()));
    }

    @Override
    public ServerWork work() {
        return new ServerWork(received(server), ProcessorTime.nanos(processes()));
    }

    @Override
    public CommandCount countCommands() {
        return count(List.of(server));
    }

    /** All packets, pings and the questions themselves included. */
    public static CommandCount count(List<ZooKeeperServer> servers) {
        return CommandCount.of(
                () -> servers.stream().mapToLong(ZooKeeperStore::received).sum());
    }

    private static long received(ZooKeeperServer server) {
        return server.ask("mntr")
                .lines()
                .filter(line -> line.startsWith("zk_packets_received"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('\t') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public List<Long> processes() {
        return List.of(server.pid());
    }

    @Override
    public RoundTrip roundTrip() {
        return new BareZooKeeper(server.connectString());
    }

    @Override
    public List<String> neighbour() {
        return List.of(ZooKeeperNeighbour.class.getName(), server.connectString());
    }

    @Override
    public void close() {
        server.close();
    }

    /** A neighbour's JVM: {@code ZooKeeperNeighbour host:port}. */
    static final class ZooKeeperNeighbour {

        private ZooKeeperNeighbour() {}

        public static void main(String[] arguments) {
            try (Application application = application(arguments[0], () -> {})) {
                new Neighbour(application.locks(), System.in, System.out).serve();
            }
        }
    }
}
