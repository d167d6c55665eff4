package io.distlock.redis.autoconfigure;

import static io.distlock.redis.autoconfigure.RedisLockProperties.check;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Locks on a majority of independent Redis servers (Redlock).
 *
 * @param enabled Whether to offer Redlock locks. By default, if distributed-lock.provider is redlock, or is not set
 *     and there are nodes.
 * @param nodes The servers, each one standalone: redis://user:password@host:port, or rediss:// for TLS. An odd
 *     number, 3 or more.
 * @param username The ACL user for servers whose URI names none.
 * @param password The password for servers whose URI has none.
 * @param callTimeout The longest wait for one request to the servers, 10ms to 60s.
 * @param connectTimeout How long the first calls of a process wait for its first connection, 10ms to 60s.
 * @param clockDrift How far clocks may drift apart during a lease, as a fraction of the lease, 0 to 0.5.
 */
@ConfigurationProperties("distributed-lock.redlock")
record RedlockProperties(
        @Nullable Boolean enabled,
        @DefaultValue List<String> nodes,
        @Nullable String username,
        @Nullable String password,
        @DefaultValue Ssl ssl,
        @DefaultValue("1s") Duration callTimeout,
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("0.01") double clockDrift,
        @DefaultValue RestartGuard restartGuard) {

    RedlockProperties {
        nodes = List.copyOf(nodes);
        // Same rules as the options; each violation should name its property.
        RedlockOptions usual = RedlockOptions.defaults();
        check("distributed-lock.redlock.call-timeout", callTimeout, usual::withCallTimeout);
        check("distributed-lock.redlock.connect-timeout", connectTimeout, usual::withConnectTimeout);
        check("distributed-lock.redlock.clock-drift", clockDrift, usual::withClockDrift);
        check("distributed-lock.redlock.restart-guard.quarantine", restartGuard.quarantine(), usual::withRestartGuard);
    }

    private static final String NODES = "distributed-lock.redlock.nodes";

    /**
     * Secure connections.
     *
     * @param bundle The SSL bundle for servers that use TLS.
     */
    record Ssl(@Nullable String bundle) {}

    /**
     * What to do about a server that was restarted.
     *
     * @param enabled Whether a server does not vote for a while after it starts, because it may have forgotten its
     *     earlier votes. Switch it off only for servers that write each command to disk before they answer.
     * @param quarantine How long it does not vote. At least the longest lease time plus lock-delay, or minimum hold
     *     time, of any lock; the same in all applications.
     */
    record RestartGuard(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("60s") Duration quarantine) {}

    RedlockOptions options(String keyPrefix) {
        check("distributed-lock.key-prefix", keyPrefix, RedlockOptions.defaults()::withKeyPrefix);
        Optional<Duration> quarantine = Optional.of(restartGuard.quarantine()).filter(time -> restartGuard.enabled());
        return new RedlockOptions(keyPrefix, callTimeout, connectTimeout, clockDrift, quarantine);
    }

    /** The servers as configured. */
    RedlockConnectionDetails connections(@Nullable SslBundles bundles) {
        List<Node> parsed = IntStream.range(0, nodes.size())
                .mapToObj(at -> check(
                        NODES + '[' + at + ']',
                        // An address may hold a password.
                        null,
                        hidden -> RedlockNodeSettings.parse(nodes.get(at), username, password)))
                .toList();
        String name = ssl.bundle();
        return new Configured(
                parsed,
                name == null
                        ? null
                        : check("distributed-lock.redlock.ssl.bundle", name, each -> bundle(each, bundles)));
    }

    /** Connections to the servers; if these properties name them, a violation names the property. */
    static RedlockConnections connect(List<RedlockConnectionDetails> details, RedlockOptions options) {
        Function<Object, RedlockConnections> connect = hidden -> RedlockConnections.to(
                details.stream().flatMap(RedlockNodeSettings::factories).toList(), options);
        return details.stream().allMatch(Configured.class::isInstance)
                ? check(NODES, null, connect)
                : connect.apply(details);
    }

    private record Configured(List<Node> getNodes, @Nullable SslBundle getSslBundle)
            implements RedlockConnectionDetails {}

    private static SslBundle bundle(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new IllegalArgumentException("there are no SSL bundles: define spring.ssl.bundle.*");
        }
        return bundles.getBundle(name);
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "RedlockProperties[" + nodes.size() + " nodes]";
    }
}
