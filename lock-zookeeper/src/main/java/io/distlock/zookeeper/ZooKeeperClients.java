package io.distlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the driver's clients, as Curator would with these settings. Curator's own client is not used: it replaces a session that
 * has expired and repeats requests in the next one, and a lock's requests must end with its session. Thread-safe.
 */
final class ZooKeeperClients {

    private static final Logger log = LoggerFactory.getLogger(ZooKeeperClients.class);

    private final CuratorFrameworkFactory.Builder settings;

    ZooKeeperClients(CuratorFrameworkFactory.Builder settings) {
        this.settings = settings;
        Objects.requireNonNull(
                settings.getEnsembleProvider(), "the builder needs a connect string or an ensemble provider");
    }

    /** The servers, for messages; a chroot included. */
    String servers() {
        return settings.getEnsembleProvider().getConnectionString();
    }

    /** Starts to connect. */
    ZooKeeper connect(Watcher watcher, Duration sessionTimeout) throws Exception {
        int millis = Math.toIntExact(sessionTimeout.toMillis());
        ZooKeeper client = settings.getZookeeperFactory()
                .newZooKeeper(servers(), millis, watcher, false, settings.getZkClientConfig());
        if (settings.getAuthInfos() != null) {
            for (AuthInfo each : settings.getAuthInfos()) {
                client.addAuthInfo(each.getScheme(), each.getAuth());
            }
        }
        return client;
    }

    List<ACL> acl(String path) {
        List<ACL> own = settings.getAclProvider().getAclForPath(path);
        return own == null ? settings.getAclProvider().getDefaultAcl() : own;
    }

    /** Ends the session at the server, on a thread of its own: the driver waits for the answer. */
    static Thread close(ZooKeeper client) {
        Thread closing = new Thread(
                () -> {
                    try {
                        client.close();
                    } catch (InterruptedException stopped) {
                        log.debug("Closing a session was interrupted", stopped);
                    }
                },
                "distlock-zookeeper-close");
        closing.setDaemon(true);
        closing.start();
        return closing;
    }
}
