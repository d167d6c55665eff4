package io.distlock.etcd.client;

import com.google.protobuf.ByteString;
import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.distlock.support.CallsInTurn;
import io.distlock.support.Timeouts;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lease.LeaseRevokeResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.op.TxnImpl;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.support.Errors;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls to etcd, each with a time limit: on its own, the driver would wait forever for a server. Reads and keepalives
 * are sent to a second member when the first is slow; writes never are. All failures are {@link EtcdCallException}s.
 *
 * <p>Some calls are under way at a time, the others wait for their turn. Releases go first, and keepalives do not wait.
 * Thread-safe.
 */
public final class EtcdCalls {

    /** At once, a call would still go to the connection that has just broken. */
    private static final Duration UNTIL_RECONNECTING = Duration.ofMillis(10);

    /** At 10 ms each, 12,800 calls per second. */
    private static final int MOST_UNDER_WAY = 128;

    private final KV kv;
    private final ChannelCapture channel;
    private final ByteSequence namespace;
    private final Lease leases;
    private final Timeouts timeouts;
    private final Duration callTimeout;
    private final boolean hedging;

    private final CallsInTurn turns;

    /** {@code namespace} precedes our keys on the server. */
    public EtcdCalls(
            Client client,
            ChannelCapture channel,
            ByteSequence namespace,
            Timeouts timeouts,
            Duration callTimeout,
            int members) {
        this.kv = client.getKVClient();
        this.channel = channel;
        this.namespace = namespace;
        this.leases = client.getLeaseClient();
        this.timeouts = timeouts;
        this.callTimeout = callTimeout;
        this.hedging = members > 1;
        this.turns =
                new CallsInTurn(timeouts, MOST_UNDER_WAY, callTimeout, () -> EtcdCallException.unsent(MOST_UNDER_WAY));
    }

    /** A transaction that writes. It is sent once: a copy that arrives late would still be carried out. */
    public CompletableFuture<TxnResponse> transact(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return turns.last(() -> limited("a transaction", callTimeout, () -> transaction.apply(kv)));
    }

    /** As {@link #transact}, before all others that wait: it lets somebody else have a lock. */
    public CompletableFuture<TxnResponse> leave(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return turns.first(() -> limited("a transaction", callTimeout, () -> transaction.apply(kv)));
    }

    /**
     * A transaction whose first condition is that there is no key from {@code first} up to {@code end}. The driver's conditions
     * are about one key each.
     */
    public CompletableFuture<TxnResponse> transactIfNone(
            ByteSequence first, ByteSequence end, Function<Txn, CompletableFuture<TxnResponse>> transaction) {
        Compare none = Compare.newBuilder()
                .setKey(ByteString.copyFrom(namespace.concat(first).getBytes()))
                .setRangeEnd(ByteString.copyFrom(namespace.concat(end).getBytes()))
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(0)
                .build();
        Supplier<CompletableFuture<TxnResponse>> call = () -> transaction.apply(TxnImpl.newTxn(
                request -> send(request.toBuilder().addCompare(0, none).build()), namespace));
        return transact(driver -> call.get()
                .exceptionallyCompose(failure -> Errors.isAlwaysSafeToRetry(Status.fromThrowable(failure))
                        // The driver gets another token when one of its own calls is refused.
                        ? driver.get(first).thenCompose(known -> call.get())
                        : CompletableFuture.failedFuture(failure)));
    }

    private CompletableFuture<TxnResponse> send(TxnRequest request) {
        CompletableFuture<TxnResponse> answer = new CompletableFuture<>();
        channel.kv().txn(request, new StreamObserver<>() {
            @Override
            public void onNext(io.etcd.jetcd.api.TxnResponse response) {
                answer.complete(new TxnResponse(response, namespace));
            }

            @Override
            public void onError(Throwable failure) {
                answer.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {}
        });
        return answer;
    }

    public CompletableFuture<TxnResponse> read(Function<KV, CompletableFuture<TxnResponse>> transaction) {
        return turns.last(() -> hedged(() -> limited("a read", callTimeout, () -> transaction.apply(kv))));
    }

    public CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
        return turns.last(() -> hedged(() -> limited("a read", callTimeout, () -> twice(() -> kv.get(key, option)))));
    }

    public CompletableFuture<LeaseGrantResponse> grant(long seconds) {
        return turns.last(() -> limited("granting a lease", callTimeout, () -> twice(() -> leases.grant(seconds))));
    }

    public CompletableFuture<LeaseRevokeResponse> revoke(long leaseId) {
        return turns.last(() -> limited("revoking a lease", callTimeout, () -> twice(() -> leases.revoke(leaseId))));
    }

    /** The driver sends it twice, the second time as it ends the stream. A short limit leaves time for another try. */
    public CompletableFuture<LeaseKeepAliveResponse> keepAlive(long leaseId, Duration atMost) {
        Duration shorter = atMost.compareTo(callTimeout) < 0 ? atMost : callTimeout;
        return hedged(() -> limited("keeping a lease alive", shorter, () -> leases.keepAliveOnce(leaseId)));
    }

    public CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long leaseId) {
        return turns.last(() -> hedged(() -> limited(
                "asking about a lease",
                callTimeout,
                () -> twice(() -> leases.timeToLive(leaseId, LeaseOption.DEFAULT)))));
    }

    /** Once more if a server is unavailable: the call goes to another, or over a new connection. */
    private <T> CompletableFuture<T> twice(Supplier<CompletableFuture<T>> call) {
        return call.get()
                .exceptionallyCompose(
                        failure -> EtcdCallException.unavailable(failure).isPresent()
                                ? timeouts.within(UNTIL_RECONNECTING, new CompletableFuture<T>())
                                        .exceptionallyCompose(due -> call.get())
                                : CompletableFuture.failedFuture(failure));
    }

    private <T> CompletableFuture<T> hedged(Supplier<CompletableFuture<T>> call) {
        return hedging ? hedged(timeouts, callTimeout.dividedBy(4), call) : call.get();
    }

    /**
     * The first answer. Asks another member when one does not answer soon: a frozen one keeps its connection, and
     * its share of the calls, for seconds.
     */
    static <T> CompletableFuture<T> hedged(Timeouts timeouts, Duration patience, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> first = call.get();
        return timeouts.within(patience, first)
                .exceptionallyCompose(
                        failure -> first.isCompletedExceptionally() ? first : firstToSucceed(first, call.get()));
    }

    private static <T> CompletableFuture<T> firstToSucceed(CompletableFuture<T> one, CompletableFuture<T> other) {
        return one.exceptionallyCompose(failure -> other)
                .applyToEither(other.exceptionallyCompose(failure -> one), Function.identity());
    }

    private <T> CompletableFuture<T> limited(String what, Duration atMost, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException closed) {
            answer = CompletableFuture.failedFuture(closed);
        }
        return timeouts.within(atMost, answer)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(EtcdCallException.of(what, failure)));
    }
}
