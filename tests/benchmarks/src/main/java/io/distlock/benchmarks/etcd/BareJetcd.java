package io.distlock.benchmarks.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.Watch;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The driver by itself, with a lease that outlasts every measurement, so that nothing has to be extended. Calls wait for
 * nothing and are sent once, as on the locks' own connection; the locks' time limits are left out.
 */
final class BareJetcd implements AutoCloseable {

    private static final long LEASE_SECONDS = Duration.ofHours(2).toSeconds();

    private final Client client;
    private final long lease;

    BareJetcd(URI endpoint) {
        client = Client.builder()
                .endpoints(endpoint)
                .waitForReady(false)
                .retryMaxAttempts(1)
                .header("hasleader", "true")
                .build();
        lease = await(client.getLeaseClient().grant(LEASE_SECONDS)).getID();
    }

    KV kv() {
        return client.getKVClient();
    }

    Watch watches() {
        return client.getWatchClient();
    }

    Lock locks() {
        return client.getLockClient();
    }

    long lease() {
        return lease;
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    static <T> T await(CompletableFuture<T> reply) {
        try {
            return reply.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("etcd did not do what it was asked", failure);
        }
    }

    /** Ends the lease, and what hangs on it. */
    @Override
    public void close() {
        await(client.getLeaseClient().revoke(lease));
        client.close();
    }
}
