package io.distlock.test.etcd;

import static org.awaitility.Awaitility.await;

import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.ProcessSockets;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An etcd cluster of real servers. To kill, freeze or restart a member, ask that member.
 *
 * <p>For one thread at a time.
 */
public final class EtcdCluster implements AutoCloseable {

    private static final int THREE = 3;
    private static final Duration TIME_TO_ELECT = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private final List<EtcdServer> members;

    private EtcdCluster(List<EtcdServer> members) {
        this.members = members;
    }

    /**
     * Starts three members with default options.
     *
     * @return a cluster whose members are all healthy
     */
    public static EtcdCluster start() {
        return start(EtcdServerOptions.defaults());
    }

    /**
     * Starts three members.
     *
     * @param options how each is to be set up
     * @return a cluster whose members are all healthy
     */
    public static EtcdCluster start(EtcdServerOptions options) {
        return start(options, THREE);
    }

    /**
     * Starts some members.
     *
     * @param options how each is to be set up
     * @param size how many
     * @return a cluster whose members are all healthy
     */
    public static EtcdCluster start(EtcdServerOptions options, int size) {
        if (size < 1) {
            throw new IllegalArgumentException("a cluster has at least one member, not " + size);
        }
        return new EtcdCluster(EtcdFormation.form(options, size));
    }

    /**
     * The members.
     *
     * @return all of them, dead ones too
     */
    public List<EtcdServer> members() {
        return members;
    }

    /**
     * One of {@link #members()}.
     *
     * @param index which, from zero
     * @return the member
     */
    public EtcdServer member(int index) {
        return members.get(index);
    }

    /**
     * All that a client has to know.
     *
     * @return the members' endpoints
     */
    public List<EtcdEndpoint> endpoints() {
        return members.stream().map(EtcdServer::endpoint).toList();
    }

    /**
     * The members' addresses, see {@link EtcdEndpoint#uri()}.
     *
     * @return the URIs
     */
    public List<URI> uris() {
        return members.stream().map(EtcdServer::uri).toList();
    }

    /**
     * The member that a majority follows right now.
     *
     * @return the leader; empty if there is none, or the majority has not noticed yet that it is dead or frozen
     */
    public Optional<EtcdServer> leader() {
        Map<EtcdServer, EtcdStatus> statuses = new HashMap<>();
        members.forEach(each -> status(each).ifPresent(it -> statuses.put(each, it)));
        return statuses.entrySet().stream()
                .filter(each -> each.getValue().isLeader())
                .filter(each -> isMajority(followers(each.getValue(), statuses.values())))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /**
     * Makes a member the leader, without disturbance.
     *
     * @param member the member
     * @throws EtcdErrorException if the leader does not get it done
     */
    public void moveLeaderTo(EtcdServer member) {
        probe().moveLeaderTo(member.probe().status().member());
        await().atMost(TIME_TO_ELECT)
                .pollInterval(BETWEEN_LOOKS)
                .until(() -> leader().filter(member::equals).isPresent());
    }

    /**
     * Waits until there is a {@link #leader()}.
     *
     * @return the leader
     */
    public EtcdServer awaitLeader() {
        return await().atMost(TIME_TO_ELECT)
                .pollInterval(BETWEEN_LOOKS)
                .until(this::leader, Optional::isPresent)
                .orElseThrow();
    }

    /**
     * The members that can be talked to and do not lead.
     *
     * @return all but the leader, which is awaited
     */
    public List<EtcdServer> followers() {
        EtcdServer leader = awaitLeader();
        return members.stream()
                .filter(EtcdServer::isAwake)
                .filter(each -> !Objects.equals(each, leader))
                .toList();
    }

    /**
     * The leader's probe, which is awaited.
     *
     * @return the probe
     */
    public EtcdProbe probe() {
        return awaitLeader().probe();
    }

    /**
     * The RPCs that clients have sent to the members since they started, but for their probes' own. Members that are
     * dead or frozen do not count.
     *
     * @return the counts
     */
    public EtcdRpcs rpcs() {
        return members.stream()
                .filter(EtcdServer::isAwake)
                .map(each -> each.probe().rpcs())
                .reduce(EtcdRpcs.none(), EtcdRpcs::plus);
    }

    /**
     * Cuts one member off from the others, as a network does that is split; clients still reach all of them. Only where
     * {@link EtcdServerOptions#withSeverablePeers()} was asked for, and on Linux.
     *
     * @param member who is to be alone until {@link #reunite()}
     */
    public void cutOff(EtcdServer member) {
        ProcessSockets own = ProcessSockets.of(member.pid());
        for (EtcdServer each : members) {
            FaultProxy proxy = each.peerProxy()
                    .orElseThrow(() -> new IllegalStateException("the members reach each other without proxies"));
            proxy.sever(each.equals(member) ? client -> true : own::has);
        }
    }

    /** Lets all members reach each other again. */
    public void reunite() {
        members.forEach(each -> each.peerProxy().ifPresent(FaultProxy::pass));
    }

    /** Kills all members that run and starts all of them again. */
    public void restart() {
        members.forEach(EtcdServer::kill);
        members.forEach(EtcdServer::relaunch);
        members.forEach(EtcdServer::awaitHealthy);
    }

    /** Brings it back to where it started: all members running, without keys, without leases. */
    public void reset() {
        reunite();
        members.forEach(EtcdServer::wake);
        members.forEach(EtcdServer::awaitHealthy);
        probe().clear();
    }

    /** Ends all members and deletes their folders. */
    @Override
    public void close() {
        members.forEach(EtcdServer::close);
    }

    private Optional<EtcdStatus> status(EtcdServer member) {
        if (!member.isAwake()) {
            return Optional.empty();
        }
        try {
            return Optional.of(member.probe().status());
        } catch (UncheckedIOException | EtcdErrorException notServing) {
            return Optional.empty();
        }
    }

    private boolean isMajority(long count) {
        return count > members.size() / 2;
    }

    private static long followers(EtcdStatus leader, Collection<EtcdStatus> all) {
        return all.stream()
                .filter(each -> each.leader() == leader.member() && each.term() == leader.term())
                .count();
    }
}
