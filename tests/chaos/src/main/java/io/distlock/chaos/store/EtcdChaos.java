package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.etcd.EtcdCluster;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A cluster of three members whose ways to each other can be cut as well. */
public final class EtcdChaos implements ChaosStore {

    private static final Duration LEASE = Duration.ofSeconds(2);
    /** It counts leases in full seconds, and looks for those that are over twice a second. */
    private static final Duration LATE = Duration.ofMillis(1_500);

    /** What a waiter grants a holder whose lease, and not only its key, is gone. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration UNTIL_FREE = LEASE.plus(LATE).plus(GRACE);

    private static final Duration LONGEST = Duration.ofMillis(2_500);

    /** Shorter than a lease by so much that a thawed leader finds none that it takes for expired. */
    private static final Duration SHORT = Duration.ofMillis(700);

    private final EtcdCluster cluster;
    private final Network network;

    private EtcdChaos(EtcdCluster cluster, Network network) {
        this.cluster = cluster;
        this.network = network;
    }

    /** Starts it. */
    public static EtcdChaos start(int clients) {
        EtcdCluster cluster = EtcdCluster.start(EtcdServerOptions.defaults().withSeverablePeers());
        List<InetSocketAddress> addresses = cluster.members().stream()
                .map(member -> new InetSocketAddress(member.host(), member.port()))
                .toList();
        return new EtcdChaos(cluster, Network.of(clients, addresses, UNTIL_FREE, LONGEST, Network.FAR, Network.LATE));
    }

    @Override
    public String name() {
        return "etcd";
    }

    @Override
    public String server() {
        return "3 x etcd " + cluster.probe().status().version();
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
        Stream<String> members = network.of(client).stream().map(way -> "http://" + way.host() + ':' + way.port());
        return Stream.concat(Stream.of("etcd"), members).toList();
    }

    @Override
    public List<String> directAddress() {
        return Stream.concat(Stream.of("etcd"), cluster.uris().stream().map(String::valueOf))
                .toList();
    }

    @Override
    public List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(network.faults());
        faults.add(Fault.lasting("member-killed", LONGEST, random -> {
            EtcdServer member = any(random);
            member.kill();
            return new Ongoing(member.name(), () -> wake(member));
        }));
        faults.add(Fault.lasting("leader-killed", LONGEST, random -> {
            EtcdServer leader = cluster.awaitLeader();
            leader.kill();
            return new Ongoing(leader.name(), () -> wake(leader));
        }));
        faults.add(Fault.lasting("follower-frozen", LONGEST, random -> {
            List<EtcdServer> followers = cluster.followers();
            EtcdServer follower = followers.get(random.nextInt(followers.size()));
            follower.freeze();
            return new Ongoing(follower.name(), follower::thaw);
        }));
        faults.add(Fault.lasting("leader-frozen-for-less-than-a-lease", SHORT, random -> frozenLeader()));
        faults.add(Fault.lasting("member-cut-off-from-the-others", LONGEST, random -> {
            EtcdServer member = any(random);
            cluster.cutOff(member);
            return new Ongoing(member.name(), cluster::reunite);
        }));
        faults.add(Fault.lasting("leader-moved", Duration.ZERO, random -> {
            List<EtcdServer> followers = cluster.followers();
            EtcdServer next = followers.get(random.nextInt(followers.size()));
            cluster.moveLeaderTo(next);
            return new Ongoing(next.name(), () -> {});
        }));
        faults.add(Fault.atOnce(
                "history-compacted",
                () -> cluster.probe().compact(cluster.probe().revision())));
        return faults;
    }

    private EtcdServer any(Random random) {
        return cluster.member(random.nextInt(cluster.members().size()));
    }

    private Ongoing frozenLeader() {
        EtcdServer leader = cluster.awaitLeader();
        leader.freeze();
        return new Ongoing(leader.name(), leader::thaw);
    }

    private void wake(EtcdServer member) {
        member.relaunch();
        member.awaitHealthy();
    }

    @Override
    public List<Fault> faultsBeyond() {
        return List.of(Fault.lasting(
                "leader-frozen-for-longer-than-a-lease", LEASE.multipliedBy(3), random -> frozenLeader()));
    }

    @Override
    public void heal() {
        network.heal();
        cluster.reunite();
        cluster.members().stream().filter(member -> !member.isRunning()).forEach(this::wake);
        cluster.awaitLeader();
    }

    @Override
    public List<String> leftovers() {
        return Stream.concat(
                        cluster.probe().keys("").stream(),
                        cluster.probe().leases().stream().map(lease -> "lease " + lease))
                .toList();
    }

    /** The key of a session stays for a moment, so that those who still wait see that it has ended in good order. */
    @Override
    public List<String> leftByReleases() {
        return cluster.probe().keys("").stream()
                .filter(key -> !key.startsWith("lock//"))
                .toList();
    }

    @Override
    public void close() {
        network.close();
        cluster.close();
    }
}
