package io.distlock.test.redis;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs a Redis server for a test class, its nested classes included, and empties it before each test. A test may freeze
 * or kill the server: it is thawed or started again for the next.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisExtension redis = RedisExtension.create();
 * }</pre>
 *
 * <p>or, with default options, {@code @ExtendWith(RedisExtension.class)}. Tests take a {@link RedisServer}, its
 * {@link RedisProbe} or its {@link RedisEndpoint} as parameters, or ask the field. Classes that share an instance must
 * not run at the same time.
 */
public final class RedisExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

    private static final Map<Class<?>, Function<RedisServer, Object>> PARAMETERS = Map.of(
            RedisServer.class, server -> server,
            RedisProbe.class, RedisServer::probe,
            RedisEndpoint.class, RedisServer::endpoint);

    private final RedisServerOptions options;
    private volatile @Nullable RedisServer server;

    /** For {@code @ExtendWith}; in code, use {@link #create()}. */
    public RedisExtension() {
        this(RedisServerOptions.defaults());
    }

    private RedisExtension(RedisServerOptions options) {
        this.options = options;
    }

    /**
     * With default options.
     *
     * @return the extension
     */
    public static RedisExtension create() {
        return new RedisExtension();
    }

    /**
     * With these options.
     *
     * @param options how the server is to be set up
     * @return the extension
     */
    public static RedisExtension create(RedisServerOptions options) {
        return new RedisExtension(options);
    }

    /**
     * The server of the test class that runs.
     *
     * @return the server
     */
    public RedisServer server() {
        return Optional.ofNullable(server)
                .orElseThrow(() -> new IllegalStateException(
                        "the server starts before the first test: register the extension in a static field"));
    }

    /**
     * The server's probe.
     *
     * @return the probe
     */
    public RedisProbe probe() {
        return server().probe();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // The store closes what it holds with the class that put it there, and shows it to classes nested in that one.
        server = context.getStore(Namespace.create(RedisExtension.class, this))
                .computeIfAbsent(RedisServer.class, key -> RedisServer.start(options), RedisServer.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        server().reset();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETERS.containsKey(parameter.getParameter().getType());
    }

    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Optional.ofNullable(PARAMETERS.get(parameter.getParameter().getType()))
                .map(of -> of.apply(server()))
                .orElse(null);
    }
}
