package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.process.SteppableClock;
import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import io.distlock.test.zookeeper.ZooKeeperServer;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** An ensemble of three servers whose ways to each other can be cut as well. */
public final class ZooKeeperChaos implements ChaosStore {

    private static final String ROOT = "/lock";
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** A session is longer than the lease by some four ticks, and expires on a full tick, or two after an election. */
    private static final Duration LATE = TICK.multipliedBy(7);

    private static final Duration UNTIL_FREE = LEASE.plus(LATE);
    private static final Duration LONGEST = Duration.ofMillis(2_500);

    private final ZooKeeperEnsemble ensemble;
    private final SteppableClock clock;
    private final Network network;

    private ZooKeeperChaos(ZooKeeperEnsemble ensemble, SteppableClock clock, Network network) {
        this.ensemble = ensemble;
        this.clock = clock;
        this.network = network;
    }

    /** Starts it. */
    public static ZooKeeperChaos start(int clients) {
        SteppableClock clock = new SteppableClock();
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(
                ZooKeeperServerOptions.defaults().withTickTime(TICK).withClock(clock));
        List<InetSocketAddress> addresses = ensemble.members().stream()
                .map(server -> new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .toList();
        return new ZooKeeperChaos(
                ensemble, clock, Network.of(clients, addresses, UNTIL_FREE, LONGEST, Network.FAR, Network.LATE));
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public String server() {
        // "Zookeeper version: 3.9.5-0123456789abcdef, built on ..."
        return "3 x ZooKeeper "
                + ensemble.awaitLeader()
                        .ask("srvr")
                        .lines()
                        .findFirst()
                        .orElse("")
                        .split("[ -]", -1)[2];
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Duration untilFree() {
        return UNTIL_FREE;
    }

    @Override
    public List<String> address(int client) {
        return address(network.of(client).stream()
                .map(way -> way.host() + ':' + way.port())
                .collect(Collectors.joining(",")));
    }

    @Override
    public List<String> directAddress() {
        return address(ensemble.connectString());
    }

    private static List<String> address(String connectString) {
        return List.of("zookeeper", Long.toString(TICK.toMillis()), connectString);
    }

    @Override
    public List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(network.faults());
        faults.add(Fault.stepped("clocks-of-servers-stepped", clock, UNTIL_FREE.multipliedBy(2), LONGEST));
        faults.add(on("leader-killed", this::leader, ZooKeeperServer::kill, ZooKeeperServer::restart));
        faults.add(on("follower-killed", this::follower, ZooKeeperServer::kill, ZooKeeperServer::restart));
        faults.add(on("leader-frozen", this::leader, ZooKeeperServer::freeze, ZooKeeperServer::thaw));
        faults.add(on("follower-frozen", this::follower, ZooKeeperServer::freeze, ZooKeeperServer::thaw));
        faults.add(on("leader-cut-off-from-the-others", this::leader, ensemble::cutOff, cut -> ensemble.reunite()));
        faults.add(on("follower-cut-off-from-the-others", this::follower, ensemble::cutOff, cut -> ensemble.reunite()));
        faults.add(on("follower-hears-nothing", this::follower, ensemble::silence, mute -> ensemble.reunite()));
        faults.add(Fault.lasting("server-restarted", Duration.ZERO, random -> {
            ZooKeeperServer server = any(random);
            server.restart();
            return new Ongoing(name(server), () -> {});
        }));
        return faults;
    }

    private Fault on(
            String name,
            Function<Random, ZooKeeperServer> which,
            Consumer<ZooKeeperServer> begin,
            Consumer<ZooKeeperServer> end) {
        return Fault.lasting(name, LONGEST, random -> {
            ZooKeeperServer server = which.apply(random);
            begin.accept(server);
            return new Ongoing(name(server), () -> end.accept(server));
        });
    }

    private ZooKeeperServer leader(Random random) {
        return ensemble.awaitLeader();
    }

    private ZooKeeperServer follower(Random random) {
        List<ZooKeeperServer> followers = ensemble.followers();
        return followers.get(random.nextInt(followers.size()));
    }

    private ZooKeeperServer any(Random random) {
        return ensemble.members().get(random.nextInt(ensemble.members().size()));
    }

    private String name(ZooKeeperServer server) {
        return "server-" + ensemble.members().indexOf(server);
    }

    /** Who ends a session by force gives its locks away while their holder still believes in them, if only for an instant. */
    @Override
    public List<Fault> faultsBeyond() {
        return List.of(Fault.lasting("session-expired-by-force", Duration.ZERO, random -> {
            List<Long> holders = ZooKeeperSessions.ofHolders(ensemble);
            if (holders.isEmpty()) {
                return new Ongoing("none", () -> {});
            }
            long session = holders.get(random.nextInt(holders.size()));
            ZooKeeperSessions.end(ensemble, session);
            return new Ongoing("0x" + Long.toHexString(session), () -> {});
        }));
    }

    @Override
    public void heal() {
        network.heal();
        clock.step(Duration.ZERO);
        ensemble.reset();
        ensemble.awaitLeader();
    }

    @Override
    public List<String> leftovers() {
        return ZooKeeperSessions.nodes(ensemble, ROOT);
    }

    /** The servers remove the empty container of a key, once a second here. */
    @Override
    public List<String> leftByReleases() {
        return leftovers().stream().filter(ZooKeeperChaos::isInAQueue).toList();
    }

    private static boolean isInAQueue(String node) {
        return node.substring(ROOT.length() + 1).indexOf('/') >= 0;
    }

    @Override
    public void close() {
        network.close();
        ensemble.close();
        clock.close();
    }
}
