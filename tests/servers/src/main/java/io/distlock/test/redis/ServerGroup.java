package io.distlock.test.redis;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** Servers that belong together: they end together, the last one started first, and so if one of them does not start. */
final class ServerGroup implements AutoCloseable {

    private final Deque<RedisServer> newestFirst = new ArrayDeque<>();

    RedisServer start(RedisServerOptions options, String... arguments) {
        RedisServer server = RedisServer.start(options, List.of(arguments));
        newestFirst.push(server);
        return server;
    }

    /** Carries out the steps of a set-up; if one fails, no server is left. */
    <T> T setUp(Supplier<T> steps) {
        try {
            return steps.get();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        newestFirst.forEach(RedisServer::close);
    }
}
