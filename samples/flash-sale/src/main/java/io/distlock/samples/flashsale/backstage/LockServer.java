package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real server of our own that keeps locks: on a free port of the loopback interface, ended with us. */
final class LockServer implements AutoCloseable {

    private static final int POLL_MILLIS = 20;
    private static final int POLLS = 500;

    private final Process process;
    private final int port;

    private LockServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one whose files go into the directory. */
    interface Starter {

        LockServer start(Path directory) throws IOException;
    }

    /** Starts several that know nothing of each other; the files of each go into a directory of its own. */
    static List<LockServer> start(Path directory, int count, Starter starter) throws IOException {
        List<LockServer> servers = new ArrayList<>();
        try {
            while (servers.size() < count) {
                Path own = directory.resolve("lock-server-" + (servers.size() + 1));
                servers.add(starter.start(Files.createDirectories(own)));
            }
            return servers;
        } catch (IOException | RuntimeException e) {
            servers.forEach(LockServer::close);
            throw e;
        }
    }

    /** Runs a command that makes a server listen on the port, and waits until it does. */
    static LockServer run(List<String> command, int port, Path directory) throws IOException {
        Path log = directory.resolve("server.log");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        LockServer server = new LockServer(process, port);
        if (!server.comesUp()) {
            server.close();
            throw new BackstageException(command.get(0) + " did not start; it said: " + Files.readString(log));
        }
        return server;
    }

    int port() {
        return port;
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    private boolean comesUp() {
        try {
            for (int poll = 0; poll < POLLS && !process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS); poll++) {
                if (Ports.answers(port)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
