package io.distlock.chaos.store;

import io.distlock.chaos.store.Fault.Ongoing;
import io.distlock.test.process.SteppableClock;
import io.distlock.test.redis.ClientType;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One Redis that writes each command to its disk before it answers, as its page asks for what is to outlast a restart. */
public final class RedisChaos implements ChaosStore {

    static final Duration LEASE = Duration.ofMillis(1_500);
    static final Duration LONGEST = Duration.ofMillis(2_500);

    private final RedisServer server;
    private final SteppableClock clock;
    private final Network network;

    private RedisChaos(RedisServer server, SteppableClock clock, Network network) {
        this.server = server;
        this.clock = clock;
        this.network = network;
    }

    /** Starts it. */
    public static RedisChaos start(int clients) {
        SteppableClock clock = new SteppableClock();
        RedisServer server = RedisServer.start(
                RedisServerOptions.defaults().withPersistence().withClock(clock));
        return new RedisChaos(
                server,
                clock,
                Network.of(
                        clients,
                        List.of(new InetSocketAddress(server.host(), server.port())),
                        LEASE,
                        LONGEST,
                        Network.FAR,
                        Network.LATE));
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
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Duration untilFree() {
        return lease();
    }

    @Override
    public List<String> address(int client) {
        return List.of(
                "redis",
                network.of(client).get(0).host()
                        + ':'
                        + network.of(client).get(0).port());
    }

    @Override
    public List<String> directAddress() {
        return List.of("redis", server.host() + ':' + server.port());
    }

    @Override
    public List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(network.faults());
        faults.add(Fault.lasting("server-frozen", LONGEST, random -> {
            server.freeze();
            return new Ongoing("server", server::thaw);
        }));
        faults.add(Fault.lasting("server-killed", LONGEST, random -> {
            server.kill();
            return new Ongoing("server", server::restart);
        }));
        faults.add(Fault.atOnce("server-restarted", server::restart));
        faults.add(Fault.atOnce("scripts-flushed", () -> server.probe().scriptFlush()));
        faults.add(Fault.atOnce("clients-killed", () -> server.probe().killClients(ClientType.NORMAL)));
        faults.add(Fault.atOnce("subscribers-killed", () -> server.probe().killClients(ClientType.PUBSUB)));
        return faults;
    }

    @Override
    public List<Fault> faultsBeyond() {
        return List.of(
                Fault.stepped("server-clock-stepped", clock, LEASE.multipliedBy(2), LONGEST),
                Fault.atOnce("server-restarted-empty", server::restartEmpty),
                Fault.atOnce("data-flushed", () -> server.probe().flushAll()));
    }

    @Override
    public void heal() {
        network.heal();
        clock.step(Duration.ZERO);
        if (!server.isRunning()) {
            server.restart();
        }
    }

    @Override
    public List<String> leftovers() {
        return server.probe().keys().stream().filter(RedisChaos::isLeftover).toList();
    }

    /** Counters of tokens stay by design: one for each hash slot, and on Redlock one. */
    static boolean isLeftover(String key) {
        return !key.startsWith("lock:fence");
    }

    @Override
    public void close() {
        network.close();
        server.close();
        clock.close();
    }
}
