package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real Redis of our own: on a free port of the loopback interface, in memory only, ended with us. */
public final class RedisServer implements AutoCloseable {

    private static final int POLL_MILLIS = 20;
    private static final int POLLS = 500;

    private final Process process;
    private final int port;

    /** Starts several that know nothing of each other; the files of each go into a directory of its own. */
    static List<RedisServer> start(Path directory, int count) throws IOException {
        List<RedisServer> servers = new ArrayList<>();
        try {
            while (servers.size() < count) {
                servers.add(start(Files.createDirectories(directory.resolve("redis-" + (servers.size() + 1)))));
            }
            return servers;
        } catch (IOException | RuntimeException e) {
            servers.forEach(RedisServer::close);
            throw e;
        }
    }

    private RedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one and waits until it answers; its files go into the directory. */
    public static RedisServer start(Path directory) throws IOException {
        int port = Ports.free();
        Path log = directory.resolve("redis.log");
        Path configuration = Files.write(
                directory.resolve("redis.conf"),
                List.of("bind 127.0.0.1", "port " + port, "save \"\"", "appendonly no", "daemonize no"));
        Process process = new ProcessBuilder(RedisBinary.command(directory), configuration.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        RedisServer server = new RedisServer(process, port);
        if (!server.comesUp()) {
            server.close();
            throw new BackstageException("redis-server did not start; it said: " + Files.readString(log));
        }
        return server;
    }

    public int port() {
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
