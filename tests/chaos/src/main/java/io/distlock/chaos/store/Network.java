package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.fault.FaultProxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The ways from each client to each server, through proxies, and what can happen to them. One client is far away at all times:
 * what it learns is old.
 */
final class Network implements AutoCloseable {

    /** How far away it is where a node may take longer to answer. */
    static final Duration FAR = Duration.ofMillis(150);

    /** How late an answer may be where a call may take {@link io.distlock.chaos.client.Access#CALL_TIMEOUT}. */
    static final Duration LATE = Duration.ofMillis(300);

    private static final int SLOWEST_MILLIS = 400;
    private static final int DISTANT = 0;

    /** For each client, the proxies before the servers, in their order. */
    private final List<List<FaultProxy>> ways;

    private final Duration untilFree;
    private final Duration longest;
    private final Duration distance;
    private final Duration late;

    private Network(
            List<List<FaultProxy>> ways, Duration untilFree, Duration longest, Duration distance, Duration late) {
        this.ways = ways;
        this.untilFree = untilFree;
        this.longest = longest;
        this.distance = distance;
        this.late = late;
        heal();
    }

    /**
     * Sets it up.
     *
     * @param clients how many clients
     * @param servers where the servers are
     * @param untilFree how long after its last renewal a lock is free
     * @param longest how long a fault lasts at most
     * @param distance how much later the distant client hears of everything
     * @param late how late an answer may be, and a fifth of it later, so that it still counts
     */
    static Network of(
            int clients,
            List<InetSocketAddress> servers,
            Duration untilFree,
            Duration longest,
            Duration distance,
            Duration late) {
        return new Network(
                IntStream.range(0, clients)
                        .mapToObj(client -> servers.stream()
                                .map(server -> FaultProxy.to(server.getAddress().getHostAddress(), server.getPort()))
                                .toList())
                        .toList(),
                untilFree,
                longest,
                distance,
                late);
    }

    /** Where a client reaches the servers, in their order. */
    List<FaultProxy> of(int client) {
        return ways.get(client);
    }

    /** Everything that can happen here. */
    List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(List.of(
                forAClient("client-unreachable", way -> {
                    way.refuse();
                    way.cut();
                }),
                forAClient("requests-lost", FaultProxy::dropRequests),
                forAClient("replies-lost", FaultProxy::dropReplies),
                forAClient("network-held-up", FaultProxy::freeze),
                new Fault("client-far-then-cut-off", untilFree, longEnough(), this::cutOffSlowly),
                Fault.lasting("replies-late", longest, this::slowDown),
                Fault.lasting("all-held-up", longest, random -> onAll(FaultProxy::freeze)),
                Fault.atOnce("connections-cut", () -> all(FaultProxy::cut)),
                Fault.atOnce("one-reply-lost", () -> all(FaultProxy::cutBeforeNextReply)),
                Fault.atOnce("one-request-lost", () -> all(FaultProxy::cutBeforeNextRequest))));
        if (ways.get(0).size() > 1) {
            faults.add(Fault.lasting("server-unreachable", longest, this::isolateServer));
        }
        return faults;
    }

    private Fault forAClient(String name, Consumer<FaultProxy> fault) {
        return Fault.lasting(name, longest, random -> {
            int client = random.nextInt(ways.size());
            ways.get(client).forEach(fault);
            return new Ongoing("client-" + client, () -> heal(client));
        });
    }

    private Duration longEnough() {
        return untilFree.multipliedBy(3).dividedBy(2);
    }

    /**
     * As a way that breaks down: what a client learns is old at first, while it renews at least once; then it is cut off for so
     * long that somebody else, who is near, gets its locks.
     */
    private Ongoing cutOffSlowly(Random random) {
        int client = random.nextInt(ways.size());
        Duration delay = late.plusMillis(random.nextInt((int) late.toMillis() / 5));
        ways.get(client).forEach(way -> way.delayReplies(delay));
        LockSupport.parkNanos(untilFree.toNanos());
        ways.get(client).forEach(FaultProxy::dropRequests);
        return new Ongoing("client-" + client + "-by-" + delay.toMillis() + "ms", () -> heal(client));
    }

    private Ongoing slowDown(Random random) {
        int client = random.nextInt(ways.size());
        Duration delay = Duration.ofMillis(1 + random.nextInt(SLOWEST_MILLIS));
        ways.get(client).forEach(way -> way.delayReplies(delay));
        return new Ongoing("client-" + client + "-by-" + delay.toMillis() + "ms", () -> heal(client));
    }

    private Ongoing isolateServer(Random random) {
        int server = random.nextInt(ways.get(0).size());
        ways.forEach(way -> {
            way.get(server).refuse();
            way.get(server).cut();
        });
        return new Ongoing("server-" + server, this::heal);
    }

    private Ongoing onAll(Consumer<FaultProxy> fault) {
        all(fault);
        return new Ongoing("all", this::heal);
    }

    private void all(Consumer<FaultProxy> action) {
        ways.forEach(way -> way.forEach(action));
    }

    /** Back to normal. */
    void heal() {
        IntStream.range(0, ways.size()).forEach(this::heal);
    }

    private void heal(int client) {
        ways.get(client).forEach(FaultProxy::pass);
        if (client == DISTANT) {
            ways.get(client).forEach(way -> way.delayReplies(distance));
        }
    }

    @Override
    public void close() {
        all(FaultProxy::close);
    }
}
