package io.distlock.spring.metrics;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.spi.Ticker;
import io.distlock.spring.client.BoundedNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what happens to the locks of one client. Thread-safe. */
final class ClientMeters implements LockListener {

    private final MeterRegistry registry;
    private final BoundedNames names;
    private final String provider;
    private final Census census;
    private final ConcurrentHashMap<String, NameMeters> byTag = new ConcurrentHashMap<>();

    ClientMeters(MeterRegistry registry, BoundedNames names, LockClient client, Ticker ticker) {
        this.registry = registry;
        this.names = names;
        this.provider = client.provider();
        this.census = new Census(client, names, ticker);
    }

    @Override
    public void onEvent(LockEvent event) {
        of(event.key().name()).count(event);
    }

    private NameMeters of(String name) {
        // A name that is a tag has meters under itself, once it has been seen.
        NameMeters known = byTag.get(name);
        return known != null
                ? known
                : byTag.computeIfAbsent(
                        names.of(name), tag -> new NameMeters(registry, new MeterTags(tag, provider), census));
    }
}
