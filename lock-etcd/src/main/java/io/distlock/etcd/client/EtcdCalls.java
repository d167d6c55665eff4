package io.distlock.etcd.client;

import io.distlock.support.Timeouts;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lease.LeaseRevokeResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls to etcd, each with a time limit: the driver by itself would wait for a server for ever. Reads and keepalives
 * are asked of a second member when the first is slow; writes never are. What goes wrong is a {@link EtcdCallException}.
 * Thread-safe.
 */
public final class EtcdCalls {

    private final KV kv;
    private final Lease leases;
    private final Timeouts timeouts;
    private final Duration limit;
    private final boolean hedging;

    /**
     * @param limit for each call
     * @param members how many there are to take turns
     */
    public EtcdCalls(Client client, Timeouts timeouts, Duration limit, int members) {
        this.kv = client.getKVClient();
        this.leases = client.getLeaseClient();
        this.timeouts = timeouts;
        this.limit = limit;
        this.hedging = members > 1;
    }

    /** A transaction that writes. It is sent once: a copy that arrives late would be carried out all the same. */
    public CompletableFuture<TxnResponse> transact(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return limited("a transaction", limit, () -> transaction.apply(kv));
    }

    /** A transaction that only reads. */
    public CompletableFuture<TxnResponse> read(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return hedged(() -> limited("a read", limit, () -> transaction.apply(kv)));
    }

    public CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
        return hedged(() -> limited("a read", limit, () -> kv.get(key, option)));
    }

    public CompletableFuture<LeaseGrantResponse> grant(long seconds) {
        return limited("granting a lease", limit, () -> leases.grant(seconds));
    }

    public CompletableFuture<LeaseRevokeResponse> revoke(long leaseId) {
        return limited("revoking a lease", limit, () -> leases.revoke(leaseId));
    }

    /**
     * The driver sends it twice, the second time as it ends the stream.
     *
     * @param atMost a time limit of its own, if it is shorter: a lost answer must leave time for another try
     */
    public CompletableFuture<LeaseKeepAliveResponse> keepAlive(long leaseId, Duration atMost) {
        Duration shorter = atMost.compareTo(limit) < 0 ? atMost : limit;
        return hedged(() -> limited("keeping a lease alive", shorter, () -> leases.keepAliveOnce(leaseId)));
    }

    public CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long leaseId, LeaseOption option) {
        return hedged(() -> limited("asking about a lease", limit, () -> leases.timeToLive(leaseId, option)));
    }

    /** For reads and keepalives alone, which may be carried out twice. */
    private <T> CompletableFuture<T> hedged(Supplier<CompletableFuture<T>> call) {
        return hedging ? hedged(timeouts, limit.dividedBy(4), call) : call.get();
    }

    /**
     * The first answer to come. Another member is asked when one does not answer soon: a frozen one keeps its connection, and
     * its share of the calls, for seconds.
     *
     * @param patience how soon
     */
    static <T> CompletableFuture<T> hedged(Timeouts timeouts, Duration patience, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<T> first = call.get();
        timeouts.within(patience, first).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else if (first.isCompletedExceptionally()) {
                result.completeExceptionally(failure);
            } else {
                both(first, call.get(), result);
            }
        });
        return result;
    }

    private static <T> void both(CompletableFuture<T> first, CompletableFuture<T> second, CompletableFuture<T> result) {
        first.thenAccept(result::complete);
        second.thenAccept(result::complete);
        CompletableFuture.allOf(first, second).whenComplete((done, failure) -> {
            if (failure != null && first.isCompletedExceptionally() && second.isCompletedExceptionally()) {
                result.completeExceptionally(failure);
            }
        });
    }

    private <T> CompletableFuture<T> limited(String what, Duration atMost, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        timeouts.within(atMost, start(call)).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(EtcdCallException.of(what, failure));
            }
        });
        return result;
    }

    private static <T> CompletableFuture<T> start(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException closed) {
            return CompletableFuture.failedFuture(closed);
        }
    }
}
