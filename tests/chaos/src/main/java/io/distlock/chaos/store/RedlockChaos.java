package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.SteppableClock;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Five Redis servers that keep nothing on disk, and the restart guard. The first one has a clock that can be stepped. */
public final class RedlockChaos implements ChaosStore {

    private static final int NODES = 5;

    /** A node has a twentieth of it to answer. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final Duration DISTANCE = Duration.ofMillis(60);
    private static final Duration LATE_ANSWER = Duration.ofMillis(110);

    /** A little longer than a lease: the guard's condition. */
    private static final Duration QUARANTINE = LEASE.plusMillis(500);

    private final List<RedisServer> servers;
    private final SteppableClock clock;
    private final Network network;

    private RedlockChaos(List<RedisServer> servers, SteppableClock clock, Network network) {
        this.servers = servers;
        this.clock = clock;
        this.network = network;
    }

    /** Starts them. */
    public static RedlockChaos start(int clients) {
        SteppableClock clock = new SteppableClock();
        RedisServerOptions options = RedisServerOptions.defaults();
        List<RedisServer> servers = IntStream.range(0, NODES)
                .mapToObj(node -> RedisServer.start(node == 0 ? options.withClock(clock) : options))
                .toList();
        List<InetSocketAddress> addresses = servers.stream()
                .map(server -> new InetSocketAddress(server.host(), server.port()))
                .toList();
        return new RedlockChaos(
                servers, clock, Network.of(clients, addresses, LEASE, RedisChaos.LONGEST, DISTANCE, LATE_ANSWER));
    }

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public String server() {
        return "%d x Redis %s"
                .formatted(NODES, servers.get(0).probe().info("server").get("redis_version"));
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Duration untilFree() {
        return lease();
    }

    @Override
    public List<String> address(int client) {
        return address(network.of(client).stream().map(RedlockChaos::address));
    }

    @Override
    public List<String> directAddress() {
        return address(servers.stream().map(server -> server.host() + ':' + server.port()));
    }

    private static String address(FaultProxy proxy) {
        return proxy.host() + ':' + proxy.port();
    }

    private static List<String> address(Stream<String> nodes) {
        return Stream.concat(Stream.of("redlock", Long.toString(QUARANTINE.toMillis())), nodes)
                .toList();
    }

    @Override
    public List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(network.faults());
        faults.add(onSome("nodes-frozen", RedisServer::freeze, RedisServer::thaw));
        faults.add(onOne("node-killed", RedisServer::kill, RedisServer::restartEmpty));
        faults.add(onOne("node-restarted-empty", RedisServer::restartEmpty, server -> {}));
        faults.add(Fault.atOnce(
                "scripts-flushed",
                () -> servers.forEach(server -> server.probe().scriptFlush())));
        return faults;
    }

    private Fault onOne(String name, Consumer<RedisServer> begin, Consumer<RedisServer> end) {
        return Fault.lasting(name, RedisChaos.LONGEST, random -> hit(1, random, begin, end));
    }

    private Fault onSome(String name, Consumer<RedisServer> begin, Consumer<RedisServer> end) {
        return Fault.lasting(
                name, RedisChaos.LONGEST, random -> hit(1 + random.nextInt(NODES / 2), random, begin, end));
    }

    private Ongoing hit(int count, Random random, Consumer<RedisServer> begin, Consumer<RedisServer> end) {
        int first = random.nextInt(NODES);
        List<RedisServer> hit = IntStream.range(first, first + count)
                .mapToObj(node -> servers.get(node % NODES))
                .toList();
        hit.forEach(begin);
        return new Ongoing("from-%d-%d-nodes".formatted(first, count), () -> hit.forEach(end));
    }

    @Override
    public List<Fault> faultsBeyond() {
        return List.of(
                Fault.stepped("node-clock-stepped", clock, LEASE.multipliedBy(2), RedisChaos.LONGEST),
                Fault.atOnce(
                        "all-data-flushed",
                        () -> servers.forEach(server -> server.probe().flushAll())),
                Fault.lasting(
                        "majority-restarted-empty",
                        Duration.ofMillis(500),
                        random -> hit(NODES / 2 + 1, random, RedisServer::restartEmpty, server -> {})));
    }

    @Override
    public void heal() {
        network.heal();
        clock.step(Duration.ZERO);
        servers.stream().filter(server -> !server.isRunning()).forEach(RedisServer::restartEmpty);
    }

    @Override
    public List<String> leftovers() {
        return servers.stream()
                .flatMap(server -> server.probe().keys().stream())
                .filter(RedisChaos::isLeftover)
                .toList();
    }

    @Override
    public void close() {
        network.close();
        servers.forEach(RedisServer::close);
        clock.close();
    }
}
