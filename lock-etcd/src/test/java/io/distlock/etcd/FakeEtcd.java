package io.distlock.etcd;

import com.google.protobuf.ByteString;
import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.TxnImpl;
import io.etcd.jetcd.options.GetOption;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Keys and leases as etcd keeps them, without a server and in virtual time. Calls are carried out and answered at once, or,
 * while they are {@link #holdBack held back}, when and in the order in which a test says so.
 */
final class FakeEtcd implements AutoCloseable {

    static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

    final ManualTicker ticker = new ManualTicker();
    final LockRuntime runtime = ManualScheduler.runtime(ticker);
    final EtcdKeys keys = new EtcdKeys("lock");
    final EtcdCalls calls;
    final EtcdConnection connection;

    /** The calls that were sent, by the driver's name for them. */
    final List<String> sent = new ArrayList<>();

    /** Of calls that were held back, in the order in which they were sent. */
    final List<Call> pending = new ArrayList<>();

    private final NavigableMap<ByteString, KeyValue> entries =
            new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    private final NavigableMap<Long, Granted> leases = new TreeMap<>();
    private final FakeWatches watches = new FakeWatches(this::header, this::call);
    private int mostOperations = 128;
    private long revision = 1;
    private long lastLease = 0x10;
    private boolean holding;

    private record Granted(long seconds, long untilNanos) {}

    /** A call under way. It can be carried out long before it is answered, or never. */
    static final class Call {

        final String name;
        private final Supplier<Runnable> work;
        private Runnable answer;
        private final CompletableFuture<?> caller;

        private Call(String name, Supplier<Runnable> work, CompletableFuture<?> caller) {
            this.name = name;
            this.work = work;
            this.caller = caller;
        }

        Call carryOut() {
            if (answer == null) {
                answer = work.get();
            }
            return this;
        }

        void answer() {
            carryOut().answer.run();
        }

        /** The caller does not learn whether it was carried out. */
        void breakOff() {
            refuse(Status.UNAVAILABLE);
        }

        void refuse(Status why) {
            caller.completeExceptionally(new StatusRuntimeException(why));
        }
    }

    FakeEtcd() {
        Client client = driver(Client.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getKVClient" -> driver(KV.class, this::keyValues);
            case "getLeaseClient" -> driver(Lease.class, this::leases);
            default -> null;
        });
        ChannelCapture capture = new ChannelCapture(CALL_TIMEOUT);
        capture.interceptCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT, watches);
        calls = new EtcdCalls(client, capture, ByteSequence.EMPTY, runtime.timeouts(), CALL_TIMEOUT, 1);
        connection = new EtcdConnection(
                client,
                capture,
                ByteSequence.EMPTY,
                List.of(URI.create("http://fake:2379")),
                CALL_TIMEOUT,
                (shared, limit) -> new SharedWatches(
                        () -> WatchGrpc.newStub(watches), ByteSequence.EMPTY, runtime, Duration.ofHours(10)),
                () -> {});
    }

    private static <T> T driver(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    EtcdLockProvider provider() {
        EtcdLockProvider provider = new EtcdLockProvider(
                runtime, connection, EtcdLockOptions.defaults().withCallTimeout(CALL_TIMEOUT));
        ticker.advance(Duration.ZERO);
        sent.clear();
        return provider;
    }

    void holdBack() {
        holding = true;
    }

    /** What is under way stays so. */
    void answerAtOnce() {
        holding = false;
    }

    /** Answers what is under way, and what follows from it. */
    void answerAll() {
        while (!pending.isEmpty()) {
            pending.remove(0).answer();
        }
    }

    long count(String name) {
        return sent.stream().filter(name::equals).count();
    }

    private <T> CompletableFuture<T> call(String name, Supplier<T> work) {
        sent.add(name);
        CompletableFuture<T> caller = new CompletableFuture<>();
        Call call = new Call(
                name,
                () -> {
                    expire();
                    try {
                        T done = work.get();
                        return () -> caller.complete(done);
                    } catch (StatusRuntimeException refused) {
                        return () -> caller.completeExceptionally(refused);
                    }
                },
                caller);
        if (holding) {
            pending.add(call);
        } else {
            call.answer();
        }
        return caller;
    }

    private Object keyValues(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "txn" ->
                TxnImpl.newTxn(
                        request -> call(
                                "txn", () -> new io.etcd.jetcd.kv.TxnResponse(transact(request), ByteSequence.EMPTY)),
                        ByteSequence.EMPTY);
            case "get" ->
                call(
                        "get",
                        () -> new GetResponse(
                                range(request((ByteSequence) arguments[0], (GetOption) arguments[1])),
                                ByteSequence.EMPTY));
            default -> null;
        };
    }

    private Object leases(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "grant" -> call("grant", () -> new io.etcd.jetcd.lease.LeaseGrantResponse(grant((long) arguments[0])));
            case "keepAliveOnce" ->
                call(
                        "keepAliveOnce",
                        () -> new io.etcd.jetcd.lease.LeaseKeepAliveResponse(keepAlive((long) arguments[0])));
            case "revoke" ->
                call("revoke", () -> {
                    revoke((long) arguments[0]);
                    return new io.etcd.jetcd.lease.LeaseRevokeResponse(LeaseRevokeResponse.getDefaultInstance());
                });
            case "timeToLive" ->
                call(
                        "timeToLive",
                        () -> new io.etcd.jetcd.lease.LeaseTimeToLiveResponse(timeToLive((long) arguments[0])));
            default -> null;
        };
    }

    private ResponseHeader header() {
        return ResponseHeader.newBuilder().setRevision(revision).build();
    }

    private LeaseGrantResponse grant(long seconds) {
        leases.put(++lastLease, new Granted(seconds, until(seconds)));
        return LeaseGrantResponse.newBuilder().setID(lastLease).setTTL(seconds).build();
    }

    private long until(long seconds) {
        return ticker.nanos() + Duration.ofSeconds(seconds).toNanos();
    }

    private LeaseKeepAliveResponse keepAlive(long id) {
        long seconds = lease(id).seconds();
        leases.put(id, new Granted(seconds, until(seconds)));
        return LeaseKeepAliveResponse.newBuilder().setID(id).setTTL(seconds).build();
    }

    private LeaseTimeToLiveResponse timeToLive(long id) {
        Granted lease = lease(id);
        return LeaseTimeToLiveResponse.newBuilder()
                .setID(id)
                .setGrantedTTL(lease.seconds())
                .setTTL(Duration.ofNanos(lease.untilNanos() - ticker.nanos()).toSeconds())
                .build();
    }

    private Granted lease(long id) {
        Granted lease = leases.get(id);
        if (lease == null) {
            throw Status.NOT_FOUND
                    .withDescription("etcdserver: requested lease not found")
                    .asRuntimeException();
        }
        return lease;
    }

    List<Long> leaseIds() {
        expire();
        return List.copyOf(leases.keySet());
    }

    /** As an operator or a leader does that thaws. */
    void revoke(long id) {
        lease(id);
        leases.remove(id);
        List<ByteString> gone = entries.values().stream()
                .filter(each -> each.getLease() == id)
                .map(KeyValue::getKey)
                .toList();
        revision += gone.isEmpty() ? 0 : 1;
        gone.forEach(this::delete);
    }

    private void expire() {
        List.copyOf(leases.keySet()).stream()
                .filter(id -> leases.get(id).untilNanos() - ticker.nanos() <= 0)
                .forEach(this::revoke);
    }

    void remove(String key) {
        revision++;
        delete(ByteString.copyFromUtf8(key));
    }

    void put(String key, long lease) {
        revision++;
        put(PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setLease(lease)
                .build());
    }

    private void delete(ByteString key) {
        if (entries.remove(key) != null) {
            watches.deleted(key);
        }
    }

    /** Those of a lock's queue, the oldest first. */
    List<String> places(String lock) {
        expire();
        return entries.values().stream()
                .filter(each -> each.getKey().toStringUtf8().startsWith("lock/" + lock + "/"))
                .sorted(Comparator.comparingLong(KeyValue::getCreateRevision))
                .map(each -> each.getKey().toStringUtf8())
                .toList();
    }

    long createRevision(String key) {
        return entries.get(ByteString.copyFromUtf8(key)).getCreateRevision();
    }

    int watchers() {
        return watches.size();
    }

    FakeWatches watches() {
        return watches;
    }

    /** As the setting {@code max-txn-ops}. */
    void allowOperations(int most) {
        mostOperations = most;
    }

    private TxnResponse transact(TxnRequest request) {
        if (Math.max(request.getSuccessCount(), request.getFailureCount()) > mostOperations) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("etcdserver: too many operations in txn request")
                    .asRuntimeException();
        }
        boolean holds = request.getCompareList().stream().allMatch(this::holds);
        List<RequestOp> operations = holds ? request.getSuccessList() : request.getFailureList();
        // Nothing is done if one of them is refused.
        operations.stream()
                .filter(each -> each.hasRequestPut() && each.getRequestPut().getLease() != 0)
                .forEach(each -> lease(each.getRequestPut().getLease()));
        if (operations.stream().anyMatch(each -> each.hasRequestPut() || isDeletion(each))) {
            revision++;
        }
        TxnResponse.Builder answer = TxnResponse.newBuilder().setSucceeded(holds);
        operations.forEach(each -> answer.addResponses(carryOut(each)));
        return answer.setHeader(header()).build();
    }

    private boolean isDeletion(RequestOp operation) {
        return operation.hasRequestDeleteRange()
                && entries.containsKey(operation.getRequestDeleteRange().getKey());
    }

    private ResponseOp carryOut(RequestOp operation) {
        ResponseOp.Builder answer = ResponseOp.newBuilder();
        if (operation.hasRequestPut()) {
            put(operation.getRequestPut());
            answer.getResponsePutBuilder();
        } else if (operation.hasRequestDeleteRange()) {
            delete(operation.getRequestDeleteRange().getKey());
            answer.getResponseDeleteRangeBuilder();
        } else {
            answer.setResponseRange(range(operation.getRequestRange()));
        }
        return answer.build();
    }

    private void put(PutRequest request) {
        KeyValue known = entries.get(request.getKey());
        entries.put(
                request.getKey(),
                KeyValue.newBuilder()
                        .setKey(request.getKey())
                        .setValue(request.getValue())
                        .setLease(request.getLease())
                        .setCreateRevision(known == null ? revision : known.getCreateRevision())
                        .setModRevision(revision)
                        .build());
    }

    private boolean holds(Compare compare) {
        List<KeyValue> compared = compare.getRangeEnd().isEmpty()
                ? List.of(entries.getOrDefault(compare.getKey(), KeyValue.getDefaultInstance()))
                : List.copyOf(
                        entries.subMap(compare.getKey(), compare.getRangeEnd()).values());
        return compared.stream().allMatch(each -> {
            boolean created = compare.getTarget() == Compare.CompareTarget.CREATE;
            long actual = created ? each.getCreateRevision() : each.getModRevision();
            long expected = created ? compare.getCreateRevision() : compare.getModRevision();
            return compare.getResult() == Compare.CompareResult.GREATER ? actual > expected : actual == expected;
        });
    }

    private static RangeRequest request(ByteSequence key, GetOption option) {
        RangeRequest.Builder request = RangeRequest.newBuilder()
                .setKey(ByteString.copyFrom(key.getBytes()))
                .setLimit(option.getLimit())
                .setSortOrder(
                        RangeRequest.SortOrder.valueOf(option.getSortOrder().name()))
                .setSortTarget(
                        RangeRequest.SortTarget.valueOf(option.getSortField().name()))
                .setMinCreateRevision(option.getMinCreateRevision())
                .setMaxCreateRevision(option.getMaxCreateRevision());
        option.getEndKey().ifPresent(end -> request.setRangeEnd(ByteString.copyFrom(end.getBytes())));
        return request.build();
    }

    private RangeResponse range(RangeRequest request) {
        Stream<KeyValue> all = request.getRangeEnd().isEmpty()
                ? Stream.ofNullable(entries.get(request.getKey()))
                : entries.subMap(request.getKey(), request.getRangeEnd()).values().stream();
        Comparator<KeyValue> order = request.getSortTarget() == RangeRequest.SortTarget.CREATE
                ? Comparator.comparingLong(KeyValue::getCreateRevision)
                : Comparator.comparing(KeyValue::getKey, ByteString.unsignedLexicographicalComparator());
        boolean newestFirst = request.getSortOrder() == RangeRequest.SortOrder.DESCEND;
        List<KeyValue> found = all.filter(each -> each.getCreateRevision() >= request.getMinCreateRevision())
                .filter(each -> request.getMaxCreateRevision() == 0
                        || each.getCreateRevision() <= request.getMaxCreateRevision())
                .sorted(newestFirst ? order.reversed() : order)
                .limit(request.getLimit() == 0 ? Long.MAX_VALUE : request.getLimit())
                .toList();
        return RangeResponse.newBuilder()
                .setHeader(header())
                .addAllKvs(found)
                .setCount(found.size())
                .build();
    }

    /** For requests that do not come through the driver's interfaces. */
    private CompletableFuture<TxnResponse> call(TxnRequest request) {
        return call("txn", () -> transact(request));
    }

    static String text(ByteSequence key) {
        return key.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        runtime.close();
    }
}
