package io.distlock.chaos.store;

import io.distlock.test.zookeeper.ZooKeeperEnsemble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/** Sessions of an ensemble, seen and ended from outside. */
final class ZooKeeperSessions {

    /** From which a server derives a session's password. */
    private static final long SECRET = 0xB3415C00L;

    private static final int PASSWORD = 16;
    private static final int TIMEOUT_MILLIS = 10_000;

    private ZooKeeperSessions() {}

    /** Those that have nodes, and so locks or places in queues. */
    static List<Long> ofHolders(ZooKeeperEnsemble ensemble) {
        String dump = ensemble.awaitLeader().ask("dump");
        return dump.substring(Math.max(0, dump.indexOf("Sessions with Ephemerals")))
                .lines()
                .filter(line -> line.startsWith("0x"))
                .map(line -> Long.parseUnsignedLong(line.substring(2, line.indexOf(':')), 16))
                .toList();
    }

    /** Ends a session as its own client would, so that the servers expire it now. */
    static void end(ZooKeeperEnsemble ensemble, long session) {
        byte[] password = new byte[PASSWORD];
        new Random(session ^ SECRET).nextBytes(password);
        close(connect(ensemble, session, password));
    }

    /** All nodes below a path; empty if there is none, or none that a lock has left. */
    static List<String> nodes(ZooKeeperEnsemble ensemble, String path) {
        ZooKeeper client = connect(ensemble, 0, new byte[PASSWORD]);
        try {
            return ZKUtil.listSubTreeBFS(client, path).stream()
                    .filter(node -> !node.equals(path))
                    .toList();
        } catch (KeeperException.NoNodeException none) {
            return List.of();
        } catch (KeeperException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        } finally {
            close(client);
        }
    }

    private static ZooKeeper connect(ZooKeeperEnsemble ensemble, long session, byte[] password) {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper client = new ZooKeeper(
                    ensemble.connectString(),
                    TIMEOUT_MILLIS,
                    event -> {
                        if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
                            connected.countDown();
                        }
                    },
                    session,
                    password);
            // The driver sends nothing if it is closed before it has begun to connect.
            if (!connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                close(client);
                throw new IllegalStateException(
                        "the ensemble at %s does not answer".formatted(ensemble.connectString()));
            }
            return client;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
    }

    private static void close(ZooKeeper client) {
        try {
            client.close();
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
    }

    private static IllegalStateException interrupted(InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        return new IllegalStateException(interrupt);
    }
}
