package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/** What keeps the lock. */
public enum LockStore {

    /** One Redis. */
    REDIS(1),

    /** Five independent Redis servers, by majority. */
    REDLOCK(5),

    /** One etcd; in earnest it would be a cluster of three. */
    ETCD(1),

    /** One ZooKeeper; in earnest it would be an ensemble of three. */
    ZOOKEEPER(1),

    /** The shop's own database; nothing more to run. */
    JDBC(0);

    private static final Logger log = LoggerFactory.getLogger(LockStore.class);
    private static final String HOST = "127.0.0.1";

    private final int servers;

    LockStore(int servers) {
        this.servers = servers;
    }

    /** The one that an option such as {@code --etcd} asks for. */
    public static LockStore askedFor(String... arguments) {
        PropertySource<?> options = new SimpleCommandLinePropertySource(arguments);
        return Arrays.stream(values())
                .filter(store -> options.containsProperty(store.option()))
                .findFirst()
                .orElse(REDIS);
    }

    /** The profile that chooses it; none is needed for a single Redis. */
    public Optional<String> profile() {
        return Optional.of(option()).filter(option -> this != REDIS);
    }

    private String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<LockServer> start(Path directory) throws IOException {
        LockServer.Starter starter = switch (this) {
            // The database has no server here, so none is started.
            case REDIS, REDLOCK, JDBC -> RedisServer::start;
            case ETCD -> EtcdServer::start;
            case ZOOKEEPER -> ZooKeeperServer::start;
        };
        return LockServer.start(directory, servers, starter);
    }

    /** Where its servers are. */
    Map<String, Object> settings(List<Integer> ports) {
        return switch (this) {
            case REDIS -> Map.of("spring.data.redis.host", HOST, "spring.data.redis.port", ports.get(0));
            case REDLOCK ->
                Map.of(
                        "distributed-lock.redlock.nodes",
                        uris("redis://", ports),
                        "distributed-lock.redlock.restart-guard.enabled",
                        hasRestartGuard());
            case ETCD -> Map.of("distributed-lock.etcd.endpoints", uris("http://", ports));
            case ZOOKEEPER -> Map.of("distributed-lock.zookeeper.connect-string", HOST + ':' + ports.get(0));
            case JDBC -> Map.of();
        };
    }

    private static boolean hasRestartGuard() {
        boolean possible = RedisBinary.isSince7();
        if (!possible) {
            log.warn("Redlock runs without its restart guard, since there is no redis-server 7 or newer on the PATH");
        }
        return possible;
    }

    private static List<String> uris(String scheme, List<Integer> ports) {
        return ports.stream().map(port -> scheme + HOST + ':' + port).toList();
    }
}
