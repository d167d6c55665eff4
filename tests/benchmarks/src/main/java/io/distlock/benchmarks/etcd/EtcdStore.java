package io.distlock.benchmarks.etcd;

import io.distlock.benchmarks.report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.CommandCount;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.QueueStore;
import io.distlock.benchmarks.store.Rivals;
import io.distlock.benchmarks.store.RoundTrip;
import io.distlock.benchmarks.store.Targets;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.fault.FaultProxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One etcd on a free port. */
public final class EtcdStore implements QueueStore {

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
                Optional.empty(),
                1,
                LATE);
    }

    @Override
    public Application application() {
        return EtcdApplication.at(server.uri());
    }

    @Override
    public Application distantApplication(Duration distance) {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        URI endpoint = server.endpoint().withPort(proxy.port()).uri();
        Application application = EtcdApplication.at(endpoint, proxy::close);
        proxy.delayReplies(distance);
        return application;
    }

    @Override
    public Contender driver() {
        return new JetcdContender(new BareJetcd(server.uri()));
    }

    @Override
    public List<Contender> peers() {
        return List.of(new JetcdLockContender(new BareJetcd(server.uri())));
    }

    @Override
    public Rivals driverQueue() {
        return new Rivals("bare jetcd", () -> new BareWaiter(new BareJetcd(server.uri())));
    }

    @Override
    public List<Rivals> peerQueues() {
        return List.of(new Rivals("jetcd Lock", () -> new JetcdLockRival(new BareJetcd(server.uri()))));
    }

    @Override
    public CommandCount countCommands() {
        return new EtcdCommandCount(server.probe());
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
}
