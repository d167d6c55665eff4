package io.distlock.redis.autoconfigure;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.distlock.redis.redlock.RedlockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
 * @param commandTimeout The longest wait for one request to the servers, 10ms to 60s.
 * @param connectTimeout The longest that a connection for locks may take to open, 10ms to 60s.
 * @param clockDrift Fraction of a lease by which clocks may drift apart meanwhile, 0 to 0.5.
 */
@ConfigurationProperties("distributed-lock.redlock")
record RedlockProperties(
        @Nullable Boolean enabled,
        @DefaultValue List<String> nodes,
        @Nullable String username,
        @Nullable String password,
        @DefaultValue Ssl ssl,
        @DefaultValue("1s") Duration commandTimeout,
        @DefaultValue("2s") Duration connectTimeout,
        @DefaultValue("0.01") double clockDrift,
        @DefaultValue RestartGuard restartGuard) {

    RedlockProperties {
        nodes = List.copyOf(nodes);
        // Same rules as the options; violations should surface while properties are bound.
        new RedlockOptions("lock", commandTimeout, connectTimeout, clockDrift, Optional.empty());
    }

    /**
     * Secure connections.
     *
     * @param bundle The SSL bundle for servers that speak TLS.
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
            @DefaultValue("60s") Duration quarantine) {

        RestartGuard {
            RedlockOptions.defaults().withRestartGuard(quarantine);
        }
    }

    RedlockOptions options(String keyPrefix) {
        Optional<Duration> quarantine = Optional.of(restartGuard.quarantine()).filter(time -> restartGuard.enabled());
        return new RedlockOptions(keyPrefix, commandTimeout, connectTimeout, clockDrift, quarantine);
    }

    /** The servers as configured. */
    RedlockConnectionDetails connections(@Nullable SslBundles bundles) {
        List<Node> parsed = IntStream.range(0, nodes.size())
                .mapToObj(at -> NodeUri.parse(at, nodes.get(at), username, password))
                .toList();
        SslBundle bundle = ssl.bundle() == null ? null : bundle(ssl.bundle(), bundles);
        return new Configured(parsed, bundle);
    }

    private record Configured(List<Node> getNodes, @Nullable SslBundle getSslBundle)
            implements RedlockConnectionDetails {}

    private static SslBundle bundle(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new IllegalArgumentException("distributed-lock.redlock.ssl.bundle is \"" + name
                    + "\", but there are no SSL bundles: define spring.ssl.bundle.*");
        }
        return bundles.getBundle(name);
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "RedlockProperties[" + nodes.size() + " nodes]";
    }
}
