package io.distlock.test.redis;

import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Starts a server with its configuration and waits until it answers. */
final class RedisLauncher {

    private static final Duration TIME_TO_START = Duration.ofSeconds(60);
    private static final String DATA = "data";

    private final RedisServerOptions options;
    private final RedisEndpoint endpoint;
    private final RedisBinary binary;
    private final TestFolder folder;
    private final List<String> arguments;
    private final Path config;

    RedisLauncher(RedisServerOptions options, RedisEndpoint endpoint, TestFolder folder, List<String> arguments) {
        this.options = options;
        this.endpoint = endpoint;
        this.binary = options.binary().orElseGet(RedisBinary::find);
        this.folder = folder;
        this.arguments = arguments;
        this.config = folder.path().resolve("redis.conf");
        configure();
    }

    RedisEndpoint endpoint() {
        return endpoint;
    }

    ServerProcess launch() {
        List<String> program = List.of(binary.path().toString(), config.toString());
        List<String> command = Stream.of(options.prefix(), program, arguments)
                .flatMap(List::stream)
                .toList();
        ServerProcess process = ServerProcess.start("redis", folder.path(), command);
        try {
            process.awaitReady(TIME_TO_START, () -> answers(process.pid()));
            return process;
        } catch (IllegalStateException e) {
            process.close();
            throw RedisStartException.because(e, process.log(), binary);
        }
    }

    /** Undoes all that the server has written, its own configuration included. */
    void wipe() {
        folder.deleteInner(DATA);
        configure();
    }

    private void configure() {
        try {
            Files.write(config, RedisConfig.lines(options, endpoint, folder.inner(DATA)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A stranger's server on our port would answer too, so the process id has to be the right one. */
    private boolean answers(long pid) {
        try (RedisProbe probe = RedisProbe.open(endpoint)) {
            probe.command("PING");
            return String.valueOf(pid).equals(probe.info("server").get("process_id"));
        } catch (UncheckedIOException | RedisErrorException notYet) {
            return false;
        }
    }
}
