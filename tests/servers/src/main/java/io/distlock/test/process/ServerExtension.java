package io.distlock.test.process;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs something for a test class, its nested classes included, and brings it back to where it started before each test.
 * What the extensions for the servers have in common.
 *
 * @param <S> what runs: a server, or several
 */
public abstract class ServerExtension<S extends AutoCloseable>
        implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

    private final Class<S> type;
    private final Map<Class<?>, Function<S, Object>> parameters;
    private final Supplier<S> start;
    private volatile @Nullable S running;

    /**
     * For subclasses.
     *
     * @param type what runs
     * @param parameters what tests may take as parameters, by type
     * @param start starts it
     */
    protected ServerExtension(Class<S> type, Map<Class<?>, Function<S, Object>> parameters, Supplier<S> start) {
        this.type = type;
        this.parameters = Map.copyOf(parameters);
        this.start = start;
    }

    /**
     * Brings it back to where it started.
     *
     * @param running what runs; a test may have left it in any state but closed
     */
    protected abstract void reset(S running);

    /**
     * What runs for the test class.
     *
     * @return what runs
     * @throws IllegalStateException if nothing does yet
     */
    protected final S running() {
        return Optional.ofNullable(running)
                .orElseThrow(() -> new IllegalStateException(
                        "the server starts before the first test: register the extension in a static field"));
    }

    @Override
    public final void beforeAll(ExtensionContext context) {
        // The store closes what it holds with the class that put it there, and shows it to classes nested in that one.
        running = context.getStore(Namespace.create(getClass(), this)).computeIfAbsent(type, key -> start.get(), type);
    }

    @Override
    public final void beforeEach(ExtensionContext context) {
        reset(running());
    }

    @Override
    public final boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameters.containsKey(parameter.getParameter().getType());
    }

    @Override
    public final @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Optional.ofNullable(parameters.get(parameter.getParameter().getType()))
                .map(of -> of.apply(running()))
                .orElse(null);
    }
}
