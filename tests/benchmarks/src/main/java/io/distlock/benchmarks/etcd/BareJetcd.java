package io.distlock.benchmarks.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import io.distlock.benchmarks.store.Contestant;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.Watch;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

/**
 * The driver by itself, with a lease that outlasts every measurement, so that nothing has to be extended. Calls wait for
 * nothing and are sent once, as on the locks' own connection; the locks' time limits are left out. As it comes, the driver
 * starts calls on one thread pool and answers them on another; the locks' connection does without both.
 */
final class BareJetcd implements AutoCloseable {

    private static final long LEASE_SECONDS = Duration.ofHours(2).toSeconds();

    private final Client client;
    private final long lease;

    BareJetcd(URI endpoint) {
        this(builder(endpoint));
    }

    private BareJetcd(ClientBuilder builder) {
        client = builder.build();
        lease = await(client.getLeaseClient().grant(LEASE_SECONDS)).getID();
    }

    private static ClientBuilder builder(URI endpoint) {
        return Client.builder()
                .endpoints(endpoint)
                .waitForReady(false)
                .retryMaxAttempts(1)
                .header("hasleader", "true");
    }

    /** Without the thread pools. */
    static BareJetcd direct(URI endpoint) {
        return new BareJetcd(builder(endpoint)
                .executorService(MoreExecutors.newDirectExecutorService())
                .interceptor(new OnTheReadingThread()));
    }

    private static final class OnTheReadingThread implements ClientInterceptor {

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return next.newCall(method, options.withExecutor(MoreExecutors.directExecutor()));
        }
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

    /** The least that the driver can do for the same locks: the same two transactions, with keys and values of the same form. */
    static final class JetcdContestant implements Contestant {

        private final String name;
        private final BareJetcd jetcd;
        private final List<BareQueue> queues;

        JetcdContestant(String name, BareJetcd jetcd) {
            this.name = name;
            this.jetcd = jetcd;
            this.queues = IntStream.range(0, ITEMS)
                    .mapToObj(item -> new BareQueue(jetcd, "bench:" + item))
                    .toList();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void cycle(int item) {
            BareQueue queue = queues.get(item);
            BareQueue.Place place = queue.enter();
            if (place.ahead().isPresent()) {
                throw new IllegalStateException("item " + item + " was not free");
            }
            queue.leave(place);
        }

        @Override
        public void close() {
            jetcd.close();
        }
    }
}
