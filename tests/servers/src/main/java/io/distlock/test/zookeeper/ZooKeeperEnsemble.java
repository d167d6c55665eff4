package io.distlock.test.zookeeper;

import static org.awaitility.Awaitility.await;

import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.ProcessSockets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An ensemble of real ZooKeeper servers. To kill, freeze or restart a member, ask that member.
 *
 * <p>For one thread at a time.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {

    private static final int THREE = 3;
    private static final Duration TIME_TO_ELECT = Duration.ofSeconds(90);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final List<ZooKeeperServer> members;

    private ZooKeeperEnsemble(List<ZooKeeperServer> members) {
        this.members = members;
    }

    /**
     * Starts three members with default options.
     *
     * @return an ensemble whose members all serve clients
     */
    public static ZooKeeperEnsemble start() {
        return start(ZooKeeperServerOptions.defaults());
    }

    /**
     * Starts three members.
     *
     * @param options how each is to be set up
     * @return an ensemble whose members all serve clients
     */
    public static ZooKeeperEnsemble start(ZooKeeperServerOptions options) {
        List<ZooKeeperMember> all = IntStream.rangeClosed(1, THREE)
                .mapToObj(ZooKeeperMember::ofEnsemble)
                .toList();
        ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(all.stream()
                .map(each -> ZooKeeperServer.launched(options, each, all))
                .toList());
        try {
            ensemble.members.forEach(ZooKeeperServer::awaitReady);
            return ensemble;
        } catch (RuntimeException failure) {
            ensemble.close();
            throw failure;
        }
    }

    /**
     * The members.
     *
     * @return all of them, dead ones too
     */
    public List<ZooKeeperServer> members() {
        return members;
    }

    /**
     * What a client connects to.
     *
     * @return host and port of each member
     */
    public String connectString() {
        return members.stream().map(ZooKeeperServer::connectString).collect(Collectors.joining(","));
    }

    /**
     * The member that leads.
     *
     * @return empty if none does, or it cannot be talked to
     */
    public Optional<ZooKeeperServer> leader() {
        return members.stream()
                .filter(each -> each.mode().equals(Optional.of("leader")))
                .findFirst();
    }

    /**
     * Waits until there is a {@link #leader()}.
     *
     * @return the leader
     */
    public ZooKeeperServer awaitLeader() {
        return await().atMost(TIME_TO_ELECT)
                .pollInterval(BETWEEN_LOOKS)
                .until(this::leader, Optional::isPresent)
                .orElseThrow();
    }

    /**
     * The members that follow the leader, which is awaited.
     *
     * @return those that serve clients
     */
    public List<ZooKeeperServer> followers() {
        awaitLeader();
        return members.stream()
                .filter(each -> each.mode().equals(Optional.of("follower")))
                .toList();
    }

    /**
     * Cuts one member off from the others, as a network does that is split; clients still reach all of them. On Linux.
     *
     * @param member who is to be alone until {@link #reunite()}
     */
    public void cutOff(ZooKeeperServer member) {
        ProcessSockets own = ProcessSockets.of(member.pid());
        for (ZooKeeperServer each : members) {
            for (FaultProxy proxy : each.member().proxies()) {
                proxy.sever(each.equals(member) ? client -> true : own::has);
            }
        }
    }

    /**
     * Loses all that a follower and the leader send each other, as a firewall does that has forgotten their connection: neither
     * notices before {@code syncLimit} is over.
     *
     * @param follower who is to hear nothing until {@link #reunite()}
     */
    public void silence(ZooKeeperServer follower) {
        ProcessSockets own = ProcessSockets.of(follower.pid());
        awaitLeader().member().proxies().forEach(proxy -> proxy.silenceClients(own::has));
    }

    /** Lets all members reach each other again. */
    public void reunite() {
        members.forEach(each -> each.member().proxies().forEach(FaultProxy::pass));
    }

    /** Brings it back to where it started: all members running and reaching each other. Keeps what they hold. */
    public void reset() {
        reunite();
        members.forEach(ZooKeeperServer::wake);
        members.forEach(ZooKeeperServer::awaitReturn);
    }

    /** Ends all members and deletes their folders. */
    @Override
    public void close() {
        members.forEach(ZooKeeperServer::close);
    }
}
