package io.distlock.test.redis;

import io.distlock.test.process.FreePort;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestCertificate;
import io.distlock.test.process.TestFolder;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server: a process of its own on a free loopback port, in a temp folder, gone with {@link #close()} and at
 * the latest with this JVM.
 *
 * <p>Where it is never changes and may be asked by any thread; all else is for one thread at a time.
 */
public final class RedisServer implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";
    private static final int PORTS_TO_TRY = 10;

    private final TestFolder folder;
    private final RedisLauncher launcher;
    private volatile ServerProcess process;
    private @Nullable RedisProbe probe;

    private RedisServer(TestFolder folder, RedisLauncher launcher) {
        this.folder = folder;
        this.launcher = launcher;
        this.process = launcher.launch();
    }

    /**
     * Starts one with default options.
     *
     * @return a server that answers
     */
    public static RedisServer start() {
        return start(RedisServerOptions.defaults());
    }

    /**
     * Starts one.
     *
     * @param options how it is to be set up
     * @return a server that answers
     * @throws IllegalStateException if it does not start, with its exit code and the end of its log
     */
    public static RedisServer start(RedisServerOptions options) {
        return start(options, List.of());
    }

    static RedisServer start(RedisServerOptions options, List<String> arguments) {
        return start(options, arguments, FreePort::next);
    }

    static RedisServer start(RedisServerOptions options, List<String> arguments, IntSupplier ports) {
        for (int tries = 1; ; tries++) {
            try {
                return startOn(ports.getAsInt(), options, arguments);
            } catch (RedisStartException e) {
                if (!e.isPortTaken() || tries == PORTS_TO_TRY) {
                    throw e;
                }
            }
        }
    }

    private static RedisServer startOn(int port, RedisServerOptions options, List<String> arguments) {
        Optional<TestCertificate> certificate =
                options.tls() ? Optional.of(TestCertificate.shared()) : Optional.empty();
        RedisEndpoint endpoint = new RedisEndpoint(LOOPBACK, port, options.credentials(), certificate);
        TestFolder folder = TestFolder.create("redis");
        try {
            return new RedisServer(folder, new RedisLauncher(options, endpoint, folder, arguments));
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
    public RedisEndpoint endpoint() {
        return launcher.endpoint();
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
     * The port.
     *
     * @return the port
     */
    public int port() {
        return endpoint().port();
    }

    /**
     * See {@link RedisEndpoint#uri()}.
     *
     * @return the URI
     */
    public URI uri() {
        return endpoint().uri();
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
     * A client of this server. It is closed by {@link #kill()}, {@link #restart()} and {@link #close()}; ask again then.
     *
     * @return the same probe as long as it works
     */
    public RedisProbe probe() {
        RedisProbe current = probe;
        if (current == null || !current.isOpen()) {
            current = RedisProbe.open(endpoint());
            probe = current;
        }
        return current;
    }

    /** Ends it at once (SIGKILL), as a crash does. */
    public void kill() {
        closeProbe();
        process.kill();
    }

    /** Stops it where it stands (SIGSTOP): connections stay open, new ones are taken, nothing is answered. */
    public void freeze() {
        process.freeze();
    }

    /** Lets a frozen one go on (SIGCONT). */
    public void thaw() {
        process.thaw();
    }

    /** Kills it if it runs and starts it again on the same port, with what it has left on disk. */
    public void restart() {
        kill();
        process = launcher.launch();
    }

    /** As {@link #restart()}, with nothing left on disk. */
    public void restartEmpty() {
        kill();
        launcher.wipe();
        process = launcher.launch();
    }

    /** Brings it back to where it started: running, without keys, without scripts. */
    public void reset() {
        if (!isRunning()) {
            restartEmpty();
        }
        if (process.isFrozen()) {
            thaw();
        }
        probe().flushAll();
        probe().scriptFlush();
    }

    /** Ends it and deletes its folder. */
    @Override
    public void close() {
        kill();
        folder.close();
    }

    private void closeProbe() {
        RedisProbe current = probe;
        if (current != null) {
            current.close();
            probe = null;
        }
    }
}
