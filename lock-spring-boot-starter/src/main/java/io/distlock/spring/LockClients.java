package io.distlock.spring;

import io.distlock.LockClient;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The lock clients of an application, one for each provider. Inject {@link LockClient} to get the default one, and this to
 * get any other. Thread-safe.
 */
public final class LockClients implements AutoCloseable {

    private final Map<String, LockClient> clients = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final LockClient primary;

    /**
     * Takes over these clients, and closes them when it is closed.
     *
     * @param primary the name of the default provider
     * @throws UnknownLockProviderException if no client has that provider
     */
    public LockClients(Collection<LockClient> clients, String primary) {
        for (LockClient client : clients) {
            if (this.clients.putIfAbsent(client.provider(), client) != null) {
                throw new IllegalArgumentException("two lock providers are named '" + client.provider()
                        + "': locks of the one would not exclude locks of the other. Give each its own name");
            }
        }
        this.primary = get(primary);
    }

    /**
     * The client of a provider, whose name is not case-sensitive.
     *
     * @throws UnknownLockProviderException if there is none; lists the known ones
     */
    public LockClient get(String provider) {
        LockClient client = clients.get(provider);
        if (client == null) {
            throw new UnknownLockProviderException(provider, clients.keySet());
        }
        return client;
    }

    /** The client of the default provider. */
    public LockClient primary() {
        return primary;
    }

    /** The names of all providers. */
    public Set<String> providers() {
        return Collections.unmodifiableSet(clients.keySet());
    }

    /** Closes all clients concurrently, so this takes no longer than the slowest of them. */
    @Override
    public void close() {
        List<Thread> closing = clients.values().stream()
                .map(client -> new Thread(client::close, "distlock-close-" + client.provider()))
                .toList();
        closing.forEach(Thread::start);
        try {
            for (Thread each : closing) {
                each.join();
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
