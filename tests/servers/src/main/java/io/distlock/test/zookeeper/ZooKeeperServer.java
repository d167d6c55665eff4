package io.distlock.test.zookeeper;

import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.OwnClassPath;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real ZooKeeper server: a JVM of its own on free loopback ports, in a temp folder, gone with {@link #close()} and at the
 * latest with this JVM. It stands alone or is a member of a {@link ZooKeeperEnsemble}.
 *
 * <p>Where it is never changes and may be asked by any thread; all else is for one thread at a time.
 */
public final class ZooKeeperServer implements AutoCloseable {

    private static final Duration TIME_TO_START = Duration.ofSeconds(90);
    private static final Duration TIME_TO_COME_BACK = Duration.ofSeconds(45);
    private static final int ANSWER_MILLIS = 2_000;

    private final ZooKeeperMember member;
    private final ZooKeeperServerOptions options;
    private final TestFolder folder;
    private volatile ServerProcess process;

    private ZooKeeperServer(ZooKeeperMember member, ZooKeeperServerOptions options, TestFolder folder) {
        this.member = member;
        this.options = options;
        this.folder = folder;
        this.process = launch();
    }

    /**
     * Starts one with default options.
     *
     * @return a server that answers
     */
    public static ZooKeeperServer start() {
        return start(ZooKeeperServerOptions.defaults());
    }

    /**
     * Starts one.
     *
     * @param options how it is to be set up
     * @return a server that answers
     * @throws IllegalStateException if it does not start, with the end of its log
     */
    public static ZooKeeperServer start(ZooKeeperServerOptions options) {
        ZooKeeperServer server = launched(options, ZooKeeperMember.alone(), List.of());
        try {
            server.awaitReady();
            return server;
        } catch (RuntimeException failure) {
            server.close();
            throw failure;
        }
    }

    /** Starts a member of all these, or a server that stands alone if there are none; does not wait for it. */
    static ZooKeeperServer launched(
            ZooKeeperServerOptions options, ZooKeeperMember member, List<ZooKeeperMember> ensemble) {
        TestFolder folder = TestFolder.create("zookeeper");
        try {
            Path data = folder.inner("data");
            Files.writeString(data.resolve("myid"), String.valueOf(member.id()));
            Files.write(folder.path().resolve("zoo.cfg"), configuration(options, member, ensemble, data));
            Files.writeString(folder.path().resolve("logback.xml"), """
                    <configuration>
                      <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                        <encoder><pattern>%d %-5level %logger{0} %msg%n</pattern></encoder>
                      </appender>
                      <root level="INFO"><appender-ref ref="out"/></root>
                    </configuration>
                    """);
            return new ZooKeeperServer(member, options, folder);
        } catch (IOException | RuntimeException failure) {
            folder.close();
            throw new IllegalStateException("cannot start a ZooKeeper server", failure);
        }
    }

    private static List<String> configuration(
            ZooKeeperServerOptions options, ZooKeeperMember member, List<ZooKeeperMember> ensemble, Path data) {
        List<String> lines = new ArrayList<>(List.of(
                "tickTime=" + options.tickTime().toMillis(),
                "initLimit=20",
                "syncLimit=5",
                "maxSessionTimeout=" + options.longestSession().toMillis(),
                "dataDir=" + data,
                "clientPortAddress=127.0.0.1",
                "clientPort=" + member.clientPort(),
                "maxClientCnxns=0",
                "admin.enableServer=false",
                // As production has it; here, each write would wait for a disk that others use as well.
                "forceSync=no",
                "4lw.commands.whitelist=*"));
        member.lines(ensemble).forEach(lines::add);
        options.settings().forEach((name, value) -> lines.add(name + "=" + value));
        return lines;
    }

    private ServerProcess launch() {
        List<String> command = new ArrayList<>(options.prefix());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + folder.path().resolve("logback.xml"),
                // Locks that nobody uses leave within a second or two.
                "-Dznode.container.checkIntervalMs=1000",
                "-Dzookeeper.jmx.log4j.disable=true",
                // So that its sockets are where ProcessSockets looks.
                "-Djava.net.preferIPv4Stack=true"));
        command.addAll(options.arguments());
        command.addAll(List.of(
                "-cp",
                OwnClassPath.absolute(),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                folder.path().resolve("zoo.cfg").toString()));
        return ServerProcess.start("zookeeper", folder.path(), command);
    }

    /**
     * What a client connects to.
     *
     * @return host and port
     */
    public String connectString() {
        return "127.0.0.1:" + port();
    }

    /**
     * The port for clients.
     *
     * @return the port
     */
    public int port() {
        return member.clientPort();
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
     * Whether it runs and is not frozen; it may still serve nobody.
     *
     * @return true if it can be talked to
     */
    public boolean isAwake() {
        return process.isRunning() && !process.isFrozen();
    }

    /** Ends it at once (SIGKILL), as a crash does. */
    public void kill() {
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

    /** Kills it if it runs and starts it again on the same ports, with what it has on disk. Does not wait for it. */
    public void relaunch() {
        kill();
        process = launch();
    }

    /** As {@link #relaunch()}, and waits until it serves clients: without a majority it never does. */
    public void restart() {
        relaunch();
        awaitReady();
    }

    /** Does not wait until it is of use. */
    public void wake() {
        if (!process.isRunning()) {
            relaunch();
        } else if (process.isFrozen()) {
            thaw();
        }
    }

    /**
     * Waits until it serves clients.
     *
     * @throws IllegalStateException if it ends or takes too long, with the end of its log
     */
    public void awaitReady() {
        process.awaitReady(TIME_TO_START, () -> mode().isPresent());
    }

    /** Waits until it serves clients again. One that does not find its way back to the others in time is started again. */
    void awaitReturn() {
        try {
            process.awaitReady(TIME_TO_COME_BACK, () -> mode().isPresent());
        } catch (IllegalStateException astray) {
            restart();
        }
    }

    /**
     * Its part: {@code standalone}, {@code leader}, {@code follower}.
     *
     * @return empty if it serves nobody
     */
    public Optional<String> mode() {
        return isAwake()
                ? ask("srvr")
                        .lines()
                        .filter(line -> line.startsWith("Mode: "))
                        .map(line -> line.substring("Mode: ".length()))
                        .findFirst()
                : Optional.empty();
    }

    /**
     * What it answers to a command of four letters.
     *
     * @param command such as {@code mntr} or {@code cons}
     * @return its answer; empty if there is none
     */
    public String ask(String command) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException noAnswer) {
            return "";
        }
    }

    /**
     * All it has printed.
     *
     * @return the log
     */
    public String log() {
        return process.log();
    }

    ZooKeeperMember member() {
        return member;
    }

    /** Keeps what it has on disk for {@link #restore()}, and starts it again. */
    public void backUp() {
        kill();
        copy("data", "backup");
        restart();
    }

    /** Starts it again with what it had on disk at the last {@link #backUp()}: the rest never happened. */
    public void restore() {
        kill();
        copy("backup", "data");
        restart();
    }

    private void copy(String from, String to) {
        folder.deleteInner(to);
        Path source = folder.path().resolve(from);
        Path target = folder.path().resolve(to);
        try (var all = Files.walk(source)) {
            for (Path each : all.toList()) {
                Files.copy(each, target.resolve(source.relativize(each)));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Ends it and deletes its folder. */
    @Override
    public void close() {
        kill();
        member.proxies().forEach(FaultProxy::close);
        folder.close();
    }
}
