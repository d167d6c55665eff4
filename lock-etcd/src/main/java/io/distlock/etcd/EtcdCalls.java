package io.distlock.etcd;

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
 * The calls to etcd, each with a time limit: the driver by itself would wait for a server for ever. What goes wrong is a
 * {@link CallFailure}. Thread-safe.
 */
final class EtcdCalls {

    private final KV kv;
    private final Lease leases;
    private final Timeouts timeouts;
    private final Duration limit;

    EtcdCalls(Client client, Timeouts timeouts, Duration limit) {
        this.kv = client.getKVClient();
        this.leases = client.getLeaseClient();
        this.timeouts = timeouts;
        this.limit = limit;
    }

    Duration limit() {
        return limit;
    }

    CompletableFuture<TxnResponse> transact(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return limited("a transaction", () -> transaction.apply(kv));
    }

    CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
        return limited("a read", () -> kv.get(key, option));
    }

    CompletableFuture<LeaseGrantResponse> grant(long seconds) {
        return limited("granting a lease", () -> leases.grant(seconds));
    }

    CompletableFuture<LeaseRevokeResponse> revoke(long leaseId) {
        return limited("revoking a lease", () -> leases.revoke(leaseId));
    }

    /**
     * @param atMost a time limit of its own, if it is shorter: a lost answer must leave time for another try
     */
    CompletableFuture<LeaseKeepAliveResponse> keepAlive(long leaseId, Duration atMost) {
        Duration shorter = atMost.compareTo(limit) < 0 ? atMost : limit;
        return limited("keeping a lease alive", shorter, () -> leases.keepAliveOnce(leaseId));
    }

    CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long leaseId, LeaseOption option) {
        return limited("asking about a lease", () -> leases.timeToLive(leaseId, option));
    }

    private <T> CompletableFuture<T> limited(String what, Supplier<CompletableFuture<T>> call) {
        return limited(what, limit, call);
    }

    private <T> CompletableFuture<T> limited(String what, Duration atMost, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> asked = start(call);
        CompletableFuture<T> result = new CompletableFuture<>();
        timeouts.within(atMost, asked).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                // Keeps the driver from sending it later, or again.
                asked.cancel(true);
                result.completeExceptionally(CallFailure.of(what, failure));
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
