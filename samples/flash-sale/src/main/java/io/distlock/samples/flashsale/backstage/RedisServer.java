package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A Redis that keeps all in memory. */
final class RedisServer {

    private RedisServer() {}

    static LockServer start(Path directory) throws IOException {
        int port = Ports.free();
        Path configuration = Files.write(
                directory.resolve("redis.conf"),
                List.of("bind 127.0.0.1", "port " + port, "save \"\"", "appendonly no", "daemonize no"));
        return LockServer.run(List.of(RedisBinary.command(directory), configuration.toString()), port, directory);
    }
}
