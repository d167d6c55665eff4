package io.distlock.spring.template;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.LockClients;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.KeyConverter;
import java.util.List;

/**
 * What {@link io.distlock.spring.DistributedLock} does, for code that cannot be proxied: final classes, private
 * methods, calls within one object, lambdas.
 *
 * <pre>{@code
 * Receipt receipt = locks.lock("orders", orderId).waitTime(ofSeconds(2)).call(() -> ship(orderId));
 * Mono<Receipt> later = locks.lock("orders", orderId).mono(() -> shipLater(orderId));
 * }</pre>
 *
 * <p>Reentrancy, {@link io.distlock.spring.LockContext}, transactions and losses work as with the annotation, and the
 * two may be nested either way. Thread-safe.
 */
public final class LockTemplate {

    private final LockClients clients;
    private final Executions executions;

    public LockTemplate(LockClients clients, Executions executions) {
        this.clients = clients;
        this.executions = executions;
    }

    /** The lock of a name: exclusive, with the options of the default provider's client. */
    public LockSpec lock(String name) {
        return lock(List.of(LockKey.of(name)));
    }

    /**
     * The lock of an item.
     *
     * @param key a string, number, boolean, character, enum, UUID or {@code java.time} value; or a collection or an
     *     array of them, all of which are locked
     * @throws IllegalArgumentException if it is none of these
     */
    public LockSpec lock(String name, Object key) {
        return lock(KeyConverter.keys(name, key));
    }

    /** The locks of all these keys. */
    public LockSpec lock(List<LockKey> keys) {
        LockClient client = clients.primary();
        return new LockSpec(clients, executions, List.of(LockSpec.Terms.of(client, client.request(keys))), false);
    }
}
