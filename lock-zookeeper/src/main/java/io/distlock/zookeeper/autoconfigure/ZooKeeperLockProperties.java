package io.distlock.zookeeper.autoconfigure;

import io.distlock.zookeeper.ZooKeeperLayout;
import io.distlock.zookeeper.ZooKeeperLockOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Locks in ZooKeeper.
 *
 * @param enabled Whether to offer locks in ZooKeeper. Default: true if distributed-lock.provider is zookeeper or unset.
 * @param connectString The servers, as host:port,host:port, optionally with a chroot at the end.
 * @param username The user's name for digest authentication, if it is used.
 * @param password The user's password.
 * @param acl Who may read and change the nodes of locks.
 * @param layout How nodes are named, which decides which of Curator's recipes see them.
 * @param callTimeout How long to wait for one call to ZooKeeper, 10ms to 60s.
 * @param connectTimeout How long the first calls of a process wait for its first session, 100ms to 60s.
 * @param tickTime The servers' tickTime, or more.
 * @param maxSessionTimeout The servers' maxSessionTimeout. Default: 20 ticks, as theirs.
 * @param ssl TLS.
 * @param client Settings of ZooKeeper's client by name, such as those of SASL.
 */
@ConfigurationProperties("distributed-lock.zookeeper")
record ZooKeeperLockProperties(
        @Nullable Boolean enabled,
        @DefaultValue("localhost:2181") String connectString,
        @Nullable String username,
        @Nullable String password,
        @DefaultValue("open") Acl acl,
        @DefaultValue("mutex") ZooKeeperLayout layout,
        @DefaultValue("2s") Duration callTimeout,
        @DefaultValue("10s") Duration connectTimeout,
        @DefaultValue("2s") Duration tickTime,
        @Nullable Duration maxSessionTimeout,
        @DefaultValue Ssl ssl,
        @DefaultValue Map<String, String> client) {

    private static final String PREFIX = "distributed-lock.zookeeper.";

    /**
     * TLS.
     *
     * @param bundle The SSL bundle for connections to ZooKeeper. Without one they are not encrypted.
     */
    record Ssl(@Nullable String bundle) {}

    enum Acl {
        /** Everybody who reaches the servers. */
        OPEN,
        /** Only the user who made them. */
        CREATOR;

        ACLProvider provider() {
            return new ConfiguredAcl(this == OPEN ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ZooDefs.Ids.CREATOR_ALL_ACL);
        }
    }

    ZooKeeperLockProperties {
        // The options hold the rules; each violation should name its property.
        ZooKeeperLockOptions usual = ZooKeeperLockOptions.defaults();
        check(PREFIX + "connect-string", connectString, ZooKeeperLockProperties::parse);
        check(PREFIX + "call-timeout", callTimeout, usual::withCallTimeout);
        check(PREFIX + "connect-timeout", connectTimeout, usual::withConnectTimeout);
        check(PREFIX + "tick-time", tickTime, usual::withTickTime);
        if (maxSessionTimeout != null) {
            check(PREFIX + "max-session-timeout", maxSessionTimeout, usual::withLongestSession);
        }
        if ((username == null) != (password == null)) {
            String missing = username == null ? "username" : "password";
            throw new IllegalArgumentException("The property " + PREFIX + missing
                    + " is missing: set it, since digest authentication needs a user name and a password");
        }
        if (acl == Acl.CREATOR && username == null && ssl.bundle() == null && client.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "acl",
                    acl,
                    "nodes that only their creator may use need one who has authenticated: configure username and"
                            + " password, or SASL or TLS by the client's properties");
        }
    }

    ZooKeeperLockOptions options(String keyPrefix) {
        check("distributed-lock.key-prefix", keyPrefix, ZooKeeperLockOptions.defaults()::withKeyPrefix);
        ZooKeeperLockOptions options = ZooKeeperLockOptions.defaults()
                .withKeyPrefix(keyPrefix)
                .withLayout(layout)
                .withCallTimeout(callTimeout)
                .withConnectTimeout(connectTimeout)
                .withTickTime(tickTime);
        return maxSessionTimeout == null ? options : options.withLongestSession(maxSessionTimeout);
    }

    ZooKeeperConnectionDetails connectionDetails(@Nullable SslBundles bundles) {
        String name = ssl.bundle();
        return new Configured(
                connectString,
                username,
                password,
                name == null ? null : check(PREFIX + "ssl.bundle", name, each -> bundle(each, bundles)));
    }

    private static SslBundle bundle(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new IllegalArgumentException("there are no SSL bundles: define spring.ssl.bundle.*");
        }
        return bundles.getBundle(name);
    }

    private static ConnectStringParser parse(String connectString) {
        try {
            return new ConnectStringParser(connectString);
        } catch (IllegalArgumentException unreadable) {
            throw new IllegalArgumentException(
                    "write host:port,host:port, optionally with a chroot such as /app at the end", unreadable);
        }
    }

    /** The properties of the client are added to its settings for TLS. */
    CuratorFrameworkFactory.Builder builder(ZooKeeperConnectionDetails details, ZKClientConfig tls) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(details.getConnectString())
                .aclProvider(acl.provider());
        if (!client.isEmpty() || details.getSslBundle() != null) {
            // Not always: a ZookeeperFactory of the application's need not support it.
            client.forEach(tls::setProperty);
            builder.zkClientConfig(tls);
        }
        if (details.getUsername() != null) {
            String digest = details.getUsername() + ':' + details.getPassword();
            builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
        }
        return builder;
    }

    private record ConfiguredAcl(List<ACL> list) implements ACLProvider {

        @Override
        public List<ACL> getDefaultAcl() {
            return list;
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return list;
        }
    }

    private record Configured(
            String getConnectString,
            @Nullable String getUsername,
            @Nullable String getPassword,
            @Nullable SslBundle getSslBundle)
            implements ZooKeeperConnectionDetails {

        /** Without secrets. */
        @Override
        public String toString() {
            return "distributed-lock.zookeeper";
        }
    }

    private static <T, R> R check(String property, T value, Function<T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException | NoSuchSslBundleException broken) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(broken.getMessage()));
        }
    }

    /** Without values: one is a password. */
    @Override
    public String toString() {
        return "ZooKeeperLockProperties";
    }
}
