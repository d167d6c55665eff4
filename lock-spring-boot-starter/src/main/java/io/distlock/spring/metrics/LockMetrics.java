package io.distlock.spring.metrics;

import io.distlock.LockClient;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.client.BoundedNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Predicate;

/**
 * Measures the locks of each client. The tag {@code lock} is the name of a lock, never its key. A call costs a look-up
 * of its name and the recording itself. Thread-safe.
 */
public final class LockMetrics implements LockClientCustomizer {

    private final MeterRegistry registry;
    private final BoundedNames names;
    private final Ticker ticker;

    /**
     * @param registry where the meters are
     * @param declared the names that stand in annotations, all of which become tags
     * @param ticker by which gauges are kept fresh
     */
    public LockMetrics(MeterRegistry registry, Predicate<String> declared, Ticker ticker) {
        this.registry = registry;
        this.names = new BoundedNames(declared);
        this.ticker = ticker;
    }

    @Override
    public LockClient customize(LockClient client) {
        client.addListener(new ClientMeters(registry, names, client, ticker));
        return client;
    }
}
