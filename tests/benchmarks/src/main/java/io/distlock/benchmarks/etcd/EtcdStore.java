package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.etcd.BareJetcd.JetcdContestant;
import io.distlock.benchmarks.etcd.BareQueue.BareWaiter;
import io.distlock.benchmarks.etcd.JetcdLockContestant.JetcdLockRival;
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
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.EtcdServers;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.fault.FaultProxy;
import io.etcd.jetcd.ByteSequence;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** One etcd on a free port. */
public final class EtcdStore implements Store {

    /** It looks for leases that have run out twice a second, and says in full seconds how long one has yet. */
    private static final Duration LATE = Duration.ofMillis(1_500).plusSeconds(1);

    private final EtcdServer server;

    private EtcdStore(EtcdServer server) {
        this.server = server;
    }

    /** Starts the server. */
    public static EtcdStore start() {
        return new EtcdStore(EtcdServer.start());
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public String server() {
        return "etcd " + server.probe().status().version();
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
                Optional.empty(),
                Optional.of(Target.countAtMost(700)),
                1,
                LATE,
                new ServerTargets(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Target.atMost(1.2)),
                        Optional.of(Target.countAtMost(6)),
                        Optional.empty()));
    }

    @Override
    public Application application() {
        return EtcdApplication.at(server.uri());
    }

    @Override
    public Application applicationThrough(List<FaultProxy> proxies) {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        proxies.add(proxy);
        return EtcdApplication.at(
                List.of(server.endpoint().withPort(proxy.port()).uri()), proxy::close);
    }

    @Override
    public Contestant driver() {
        return new JetcdContestant("bare jetcd", BareJetcd.direct(server.uri()));
    }

    @Override
    public List<Contestant> peers() {
        return List.of(
                new JetcdContestant("bare jetcd with its thread pools", new BareJetcd(server.uri())),
                new JetcdLockContestant(new BareJetcd(server.uri())));
    }

    @Override
    public List<Rivals> rivals() {
        return List.of(
                new Rivals("bare jetcd", () -> new BareWaiter(new BareJetcd(server.uri()))),
                new Rivals("jetcd Lock", () -> new JetcdLockRival(new BareJetcd(server.uri()))));
    }

    @Override
    public ServerWork work() {
        return new ServerWork(server.probe().rpcs().total(), server.probe().metric("process_cpu_seconds_total") * 1e9);
    }

    @Override
    public CommandCount countCommands() {
        return count(() -> server.probe().rpcs());
    }

    /** By the servers' own metrics: messages from clients, of whatever kind, those within streams included. */
    public static CommandCount count(Supplier<EtcdRpcs> rpcs) {
        return CommandCount.of(() -> rpcs.get().total());
    }

    @Override
    public List<Long> processes() {
        return List.of(server.pid());
    }

    @Override
    public RoundTrip roundTrip() {
        return new EtcdRoundTrip(new BareJetcd(server.uri()));
    }

    @Override
    public List<String> neighbour() {
        return List.of(EtcdNeighbour.class.getName(), server.uri().toString());
    }

    @Override
    public void close() {
        server.close();
    }

    /** An application on several servers that are one etcd. */
    public static Application applicationAt(List<URI> endpoints) {
        return EtcdApplication.at(endpoints, () -> {});
    }

    /** Applications on an etcd, as Boot would wire them. */
    static final class EtcdApplication {

        private EtcdApplication() {}

        static Application at(List<URI> endpoints, Runnable afterwards) {
            EtcdLockOptions options = EtcdLockOptions.defaults();
            EtcdConnection connection = EtcdConnection.to(EtcdServers.at(endpoints), options);
            return Application.start(runtime -> new EtcdLockProvider(runtime, connection, options), () -> {
                connection.close();
                afterwards.run();
            });
        }

        static Application at(URI endpoint) {
            return at(List.of(endpoint), () -> {});
        }
    }

    /** A read of a key that is not there, by the bare driver. */
    static final class EtcdRoundTrip implements RoundTrip {

        private static final ByteSequence NO_KEY = bytes("nothing");

        private final BareJetcd jetcd;

        EtcdRoundTrip(BareJetcd jetcd) {
            this.jetcd = jetcd;
        }

        @Override
        public void ask() {
            await(jetcd.kv().get(NO_KEY));
        }

        @Override
        public void close() {
            jetcd.close();
        }
    }

    /** A neighbour's JVM: {@code EtcdNeighbour http://host:port}. */
    static final class EtcdNeighbour {

        private EtcdNeighbour() {}

        public static void main(String[] arguments) {
            try (Application application = EtcdApplication.at(URI.create(arguments[0]))) {
                new Neighbour(application.locks(), System.in, System.out).serve();
            }
        }
    }
}
