package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.etcd.client.EtcdCalls;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.fault.FaultProxy;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls that are not answered at once, by the server's own count. */
class EtcdCallsTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final ByteSequence KEY = ByteSequence.from("key", StandardCharsets.UTF_8);
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int MEMBERS = 2;

    private final LockRuntime runtime = LockRuntime.start();
    private FaultProxy proxy;
    private EtcdConnection connection;
    private EtcdCalls calls;

    /**
     * @param timesIfSlow how often it is sent if it is not answered
     * @param timesIfCut how often if the connection breaks first
     */
    private record Call(
            String name,
            String method,
            int timesIfSlow,
            int timesIfCut,
            Function<EtcdCalls, CompletableFuture<?>> call) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Call> calls() {
        return Stream.of(
                new Call(
                        "transaction",
                        "Txn",
                        1,
                        1,
                        calls -> calls.transact(kv -> kv.txn()
                                .Then(Op.delete(KEY, DeleteOption.DEFAULT))
                                .commit())),
                new Call(
                        "reading transaction",
                        "Txn",
                        2,
                        1,
                        calls -> calls.read(kv ->
                                kv.txn().Then(Op.get(KEY, GetOption.DEFAULT)).commit())),
                new Call("read", "Range", 2, 2, calls -> calls.get(KEY, GetOption.DEFAULT)),
                new Call("grant", "LeaseGrant", 1, 2, calls -> calls.grant(60)),
                new Call("revoke", "LeaseRevoke", 1, 2, calls -> calls.revoke(1)),
                new Call("keepalive", "LeaseKeepAlive", 2, 1, calls -> calls.keepAlive(1, LIMIT)),
                new Call("time to live", "LeaseTimeToLive", 2, 2, calls -> calls.timeToLive(1)));
    }

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        EtcdServers servers = EtcdServers.at(List.of(URI.create("http://" + proxy.host() + ':' + proxy.port())));
        connection = EtcdConnection.to(servers, EtcdLockOptions.defaults().withCallTimeout(LIMIT));
        calls = connection.calls(runtime.timeouts(), LIMIT, MEMBERS);
    }

    @AfterEach
    void close() {
        connection.close();
        proxy.close();
        runtime.close();
    }

    private static void awaitEnd(CompletableFuture<?> call) {
        await().atMost(TestClient.PATIENCE).until(call::isDone);
    }

    private void awaitAnswer() {
        await().atMost(TestClient.PATIENCE)
                .until(() -> connection
                        .client
                        .getClusterClient()
                        .listMember()
                        .handle((answer, failure) -> failure == null)
                        .join());
    }

    @ParameterizedTest
    @MethodSource("calls")
    void onlyReadsAndKeepalivesAreAskedAgainWhenTheAnswerIsSlow(Call slow) {
        awaitAnswer();
        EtcdRpcs before = etcd.probe().rpcs();
        proxy.dropReplies();
        awaitEnd(slow.call.apply(calls));
        assertThat(etcd.probe().rpcs().since(before).started(slow.method)).isEqualTo(slow.timesIfSlow);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void whatDoesNoHarmTwiceIsAskedAgainWhenTheConnectionBreaks(Call cut) {
        awaitAnswer();
        EtcdRpcs before = etcd.probe().rpcs();
        proxy.cutBeforeNextReply();
        // Not asked again for being slow, nor given up before there is a connection again.
        awaitEnd(cut.call.apply(connection.calls(runtime.timeouts(), TestClient.PATIENCE, MEMBERS)));
        assertThat(etcd.probe().rpcs().since(before).started(cut.method)).isEqualTo(cut.timesIfCut);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aCallIsNotSentOnceItsCallerHasGivenUp(Call given) {
        proxy.freeze();
        EtcdRpcs before = etcd.probe().rpcs();
        awaitEnd(given.call.apply(calls));
        proxy.thaw();
        awaitAnswer();
        assertThat(etcd.probe().rpcs().since(before).started(given.method)).isZero();
    }

    /** By itself the driver waits for a server for ever. */
    @ParameterizedTest
    @MethodSource("calls")
    void aCallIsGivenUpInTimeAlsoIfTheDriverWaitsForAServer(Call given) {
        proxy.freeze();
        try (Client client = Client.builder()
                .endpoints(URI.create("http://" + proxy.host() + ':' + proxy.port()))
                .build()) {
            CompletableFuture<?> call = given.call.apply(
                    new EtcdCalls(client, connection.capture, ByteSequence.EMPTY, runtime.timeouts(), SHORT, 1));
            awaitEnd(call);
            assertThat(call).isCompletedExceptionally();
        }
    }
}
