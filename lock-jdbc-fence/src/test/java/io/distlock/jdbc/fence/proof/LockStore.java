package io.distlock.jdbc.fence.proof;

import io.distlock.LockKey;
import io.distlock.test.etcd.EtcdEntry;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Real servers of one provider, and what may happen there to a lock that somebody holds. */
interface LockStore extends AutoCloseable {

    String provider();

    /** The properties of an application that locks there. */
    List<String> properties();

    /** The properties of an application that {@link #cutOff()} keeps from learning about its locks. */
    default List<String> propertiesOfVictim() {
        return properties();
    }

    default void cutOff() {}

    default void reconnect() {}

    /** All data is lost. */
    void empty();

    /** The lock ends as it would if the servers' clocks leapt forward. (No process can step them for itself.) */
    void stepClocks(LockKey key);

    @Override
    void close();

    /** One Redis server. */
    static LockStore redis() {
        return new Redis("redis", 1);
    }

    /** Three independent Redis servers. */
    static LockStore redlock() {
        return new Redis("redlock", 3);
    }

    static LockStore etcd() {
        return new Etcd();
    }

    /** A holder is not notified by its server, so nothing needs to be cut off. */
    final class Redis implements LockStore {

        private final String provider;
        private final List<RedisServer> servers = new ArrayList<>();

        private Redis(String provider, int count) {
            this.provider = provider;
            IntStream.range(0, count).forEach(each -> servers.add(RedisServer.start()));
        }

        @Override
        public String provider() {
            return provider;
        }

        @Override
        public List<String> properties() {
            return provider.equals("redis")
                    ? List.of(
                            "distributed-lock.provider=redis",
                            "distributed-lock.redis.call-timeout=10s",
                            "spring.data.redis.port=" + servers.get(0).port())
                    : List.of(
                            "distributed-lock.provider=redlock",
                            "distributed-lock.redlock.restart-guard.enabled=false",
                            "distributed-lock.redlock.call-timeout=10s",
                            "distributed-lock.redlock.nodes="
                                    + servers.stream()
                                            .map(each -> each.uri().toString())
                                            .collect(Collectors.joining(",")));
        }

        @Override
        public void empty() {
            servers.forEach(each -> each.probe().flushAll());
        }

        @Override
        public void stepClocks(LockKey key) {
            servers.forEach(each -> each.probe().command("PEXPIRE", "lock:{" + key.text() + "}", "0"));
        }

        @Override
        public void close() {
            servers.forEach(RedisServer::close);
        }
    }

    /** It notifies holders at once, so a victim is connected through a proxy. */
    final class Etcd implements LockStore {

        private final EtcdServer server = EtcdServer.start(
                EtcdServerOptions.defaults().withElection(Duration.ofMillis(20), Duration.ofMillis(200)));
        private final FaultProxy proxy = FaultProxy.to(server.host(), server.port());

        private Etcd() {}

        @Override
        public String provider() {
            return "etcd";
        }

        @Override
        public List<String> properties() {
            return properties("http://" + server.host() + ":" + server.port());
        }

        @Override
        public List<String> propertiesOfVictim() {
            return properties("http://" + proxy.host() + ":" + proxy.port());
        }

        private static List<String> properties(String endpoint) {
            return List.of(
                    "distributed-lock.provider=etcd",
                    "distributed-lock.etcd.call-timeout=5s",
                    "distributed-lock.etcd.endpoints=" + endpoint);
        }

        @Override
        public void cutOff() {
            proxy.freeze();
        }

        @Override
        public void reconnect() {
            proxy.thaw();
        }

        @Override
        public void empty() {
            server.probe().deleteAll("lock/");
        }

        @Override
        public void stepClocks(LockKey key) {
            server.probe().entries("lock/" + key.text() + "/").stream()
                    .map(EtcdEntry::lease)
                    .distinct()
                    .forEach(server.probe()::revoke);
        }

        @Override
        public void close() {
            proxy.close();
            server.close();
        }
    }
}
