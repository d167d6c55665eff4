package io.distlock.zookeeper.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** Where ZooKeeper is, and the credentials. A bean of this type replaces the properties. */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

    /** The servers, as {@code host:port,host:port}, optionally with a chroot: {@code host:port,host:port/app}. */
    String getConnectString();

    /** The user's name, for digest authentication; null if not required. */
    default @Nullable String getUsername() {
        return null;
    }

    /** The user's password; null if not required. */
    default @Nullable String getPassword() {
        return null;
    }

    /** For TLS; null without. */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
