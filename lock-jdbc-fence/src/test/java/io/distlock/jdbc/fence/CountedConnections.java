package io.distlock.jdbc.fence;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import io.r2dbc.spi.IsolationLevel;
import io.r2dbc.spi.R2dbcTransientResourceException;
import io.r2dbc.spi.TransactionDefinition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Connections to a database in memory, of which it knows which are open and which statements they were given. Each call runs
 * on another thread, as a driver's that does not block.
 */
public final class CountedConnections implements ConnectionFactory {

    /** H2 blocks the thread. What ends its wait must not be queued behind it. */
    private static final Scheduler DRIVER = Schedulers.newBoundedElastic(200, Integer.MAX_VALUE, "driver", 60, true);

    private final AtomicInteger open = new AtomicInteger();
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final ConnectionFactory connections;
    private final List<Optional<IsolationLevel>> isolations = new CopyOnWriteArrayList<>();
    private volatile String failing = "";

    public CountedConnections() {
        this("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
    }

    public CountedConnections(String url) {
        this(ConnectionFactories.get(url));
    }

    public CountedConnections(ConnectionFactory connections) {
        this.connections = connections;
    }

    @Override
    public Publisher<? extends Connection> create() {
        return Mono.from(connections.create())
                .subscribeOn(DRIVER)
                .doOnNext(created -> open.incrementAndGet())
                .map(this::counted);
    }

    @Override
    public ConnectionFactoryMetadata getMetadata() {
        return connections.getMetadata();
    }

    public int open() {
        return open.get();
    }

    /** Those with this text. */
    public long statements(String text) {
        return statements.stream().filter(each -> each.contains(text)).count();
    }

    /** Those that were asked for, of each transaction that asked for something. */
    public List<Optional<IsolationLevel>> isolations() {
        return isolations;
    }

    public void forget() {
        statements.clear();
    }

    /** From now on, statements with this text fail; none if it is empty. */
    public void fail(String text) {
        failing = text;
    }

    private Connection counted(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("createStatement")) {
                        statements.add((String) arguments[0]);
                        if (!failing.isEmpty() && ((String) arguments[0]).contains(failing)) {
                            throw new R2dbcTransientResourceException("failed by the test");
                        }
                    }
                    if (method.getName().equals("beginTransaction") && arguments != null) {
                        TransactionDefinition definition = (TransactionDefinition) arguments[0];
                        isolations.add(
                                Optional.ofNullable(definition.getAttribute(TransactionDefinition.ISOLATION_LEVEL)));
                    }
                    Object result = call(connection, method, arguments);
                    if (result instanceof Publisher<?> publisher) {
                        Flux<?> elsewhere = Flux.from(publisher).subscribeOn(DRIVER);
                        return method.getName().equals("close")
                                ? elsewhere.doOnComplete(open::decrementAndGet)
                                : elsewhere;
                    }
                    return result;
                });
    }

    private static Object call(Connection connection, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
