package io.distlock.test.redis;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Runs several Redis servers that know nothing of each other, as Redlock wants them, for a test class and its nested
 * classes, and empties them before each test. A test may freeze, kill or restart each of them on its own, with or without
 * what it has on disk: all are thawed or started again for the next.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisServersExtension nodes = RedisServersExtension.create(5);
 * }</pre>
 *
 * <p>Classes that share an instance must not run at the same time.
 */
public final class RedisServersExtension implements BeforeAllCallback, BeforeEachCallback {

    private final int count;
    private final RedisServerOptions options;
    private volatile @Nullable Running running;

    /** What the store of the extension closes with the class. */
    private record Running(ServerGroup group, List<RedisServer> servers) implements AutoCloseable {

        static Running start(int count, RedisServerOptions options) {
            ServerGroup group = new ServerGroup();
            return group.setUp(() -> new Running(
                    group,
                    IntStream.range(0, count)
                            .mapToObj(number -> group.start(options))
                            .toList()));
        }

        @Override
        public void close() {
            group.close();
        }
    }

    private RedisServersExtension(int count, RedisServerOptions options) {
        this.count = count;
        this.options = options;
    }

    /**
     * With default options.
     *
     * @param count how many servers
     * @return the extension
     */
    public static RedisServersExtension create(int count) {
        return create(count, RedisServerOptions.defaults());
    }

    /**
     * With these options.
     *
     * @param count how many servers
     * @param options how each of them is to be set up
     * @return the extension
     */
    public static RedisServersExtension create(int count, RedisServerOptions options) {
        return new RedisServersExtension(count, options);
    }

    /**
     * All servers, always in the same order.
     *
     * @return the servers
     */
    public List<RedisServer> all() {
        return Optional.ofNullable(running)
                .orElseThrow(() -> new IllegalStateException(
                        "the servers start before the first test: register the extension in a static field"))
                .servers();
    }

    /**
     * One of them.
     *
     * @param number from 0
     * @return the server
     */
    public RedisServer get(int number) {
        return all().get(number);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        running = context.getStore(Namespace.create(RedisServersExtension.class, this))
                .computeIfAbsent(Running.class, key -> Running.start(count, options), Running.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        all().forEach(RedisServer::reset);
    }
}
