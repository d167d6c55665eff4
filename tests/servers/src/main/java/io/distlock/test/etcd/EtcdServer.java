package io.distlock.test.etcd;

import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A real etcd server: a process of its own on free loopback ports, in a temp folder, gone with {@link #close()} and at
 * the latest with this JVM. It stands alone or is a member of an {@link EtcdCluster}.
 *
 * <p>Where it is never changes and may be asked by any thread; all else is for one thread at a time.
 */
public final class EtcdServer implements AutoCloseable {

    private static final Duration TIME_TO_START = Duration.ofSeconds(60);

    private final TestFolder folder;
    private final EtcdLauncher launcher;
    private volatile ServerProcess process;
    private volatile EtcdProbe probe;

    private EtcdServer(TestFolder folder, EtcdLauncher launcher) {
        this.folder = folder;
        this.launcher = launcher;
        this.process = launcher.launch();
        this.probe = EtcdProbe.of(endpoint());
    }

    /**
     * Starts one with default options.
     *
     * @return a server that answers
     */
    public static EtcdServer start() {
        return start(EtcdServerOptions.defaults());
    }

    /**
     * Starts one.
     *
     * @param options how it is to be set up
     * @return a server that answers
     * @throws IllegalStateException if it does not start, with its exit code and the end of its log; if there is no
     *     program, with the command that installs it
     */
    public static EtcdServer start(EtcdServerOptions options) {
        return EtcdFormation.form(options, 1).get(0);
    }

    /** Starts a member, but does not wait for it. */
    static EtcdServer launched(EtcdServerOptions options, EtcdMember member, List<EtcdMember> all) {
        TestFolder folder = TestFolder.create("etcd");
        try {
            return new EtcdServer(folder, new EtcdLauncher(options, member, all, folder));
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /**
     * All that a client has to know.
     *
     * @return the endpoint
     */
    public EtcdEndpoint endpoint() {
        return launcher.member().endpoint();
    }

    /**
     * The host, by address.
     *
     * @return the host
     */
    public String host() {
        return endpoint().host();
    }

    /**
     * The port for clients.
     *
     * @return the port
     */
    public int port() {
        return endpoint().port();
    }

    /**
     * See {@link EtcdEndpoint#uri()}.
     *
     * @return the URI
     */
    public URI uri() {
        return endpoint().uri();
    }

    /**
     * The name it has in its cluster.
     *
     * @return the name
     */
    public String name() {
        return launcher.member().name();
    }

    /**
     * The id of the process; another after each restart.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Whether the process is there; a frozen one is.
     *
     * @return true until it has ended
     */
    public boolean isRunning() {
        return process.isRunning();
    }

    /**
     * Whether it runs and is not frozen; it may still have no leader.
     *
     * @return true if it can be talked to
     */
    public boolean isAwake() {
        return process.isRunning() && !process.isFrozen();
    }

    /**
     * A client of this server; another after each restart, since counts start anew with it.
     *
     * @return the probe
     */
    public EtcdProbe probe() {
        return probe;
    }

    /** Ends it at once (SIGKILL), as a crash does. */
    public void kill() {
        process.kill();
    }

    /** Asks it to end (SIGTERM) and waits until it has: a leader hands over first. */
    public void stop() {
        process.stop();
    }

    /** Stops it where it stands (SIGSTOP): connections stay open, new ones are taken, nothing is answered. */
    public void freeze() {
        process.freeze();
    }

    /** Lets a frozen one go on (SIGCONT). */
    public void thaw() {
        process.thaw();
    }

    /** As {@link #relaunch()}, and waits until it is healthy: without a majority it never is. */
    public void restart() {
        relaunch();
        awaitHealthy();
    }

    /** Kills it if it runs and starts it again on the same ports, with what it has on disk. Does not wait for it. */
    public void relaunch() {
        kill();
        process = launcher.launch();
        probe = EtcdProbe.of(endpoint());
    }

    /** Keeps what it has on disk for {@link #restore()}, and starts it again. */
    public void backUp() {
        kill();
        launcher.backUp();
        restart();
    }

    /** Starts it again with what it had on disk at the last {@link #backUp()}: the rest never happened. */
    public void restore() {
        kill();
        launcher.restore();
        restart();
    }

    /**
     * Waits until it can read and write.
     *
     * @throws IllegalStateException if it ends or takes too long, with the end of its log
     */
    public void awaitHealthy() {
        try {
            process.awaitReady(TIME_TO_START, this::isHealthy);
        } catch (IllegalStateException e) {
            throw new EtcdStartException(e, process.log());
        }
    }

    /** Brings it back to where it started: running, without keys, without leases. */
    public void reset() {
        wake();
        awaitHealthy();
        probe.clear();
    }

    /** Ends it and deletes its folder. */
    @Override
    public void close() {
        kill();
        launcher.member().closeProxy();
        folder.close();
    }

    /** Through which the other members reach it, if it is not directly. */
    Optional<FaultProxy> peerProxy() {
        return launcher.member().peerProxy();
    }

    /** Does not wait until it is of use. */
    void wake() {
        if (!isRunning()) {
            relaunch();
        } else if (process.isFrozen()) {
            thaw();
        }
    }

    /** A stranger's server on our port would be healthy, too, so it has to know our name. */
    private boolean isHealthy() {
        try {
            return probe.isHealthy() && probe.knows(name());
        } catch (UncheckedIOException | EtcdErrorException notYet) {
            return false;
        }
    }
}
