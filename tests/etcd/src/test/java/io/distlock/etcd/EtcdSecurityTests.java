package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEndpoint;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import io.distlock.test.fault.FaultProxy;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that ask who one is, and that speak TLS. */
class EtcdSecurityTests {

    private static final LockKey KEY = LockKey.of("orders");
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration TOKEN_LIFE = Duration.ofSeconds(1);

    private static final EtcdServerOptions SHORT_TOKENS = EtcdServerOptions.defaults()
            .withPassword("secret")
            .withSetting("auth-token-ttl", TOKEN_LIFE.toSeconds() + "");

    @TempDir
    private Path folder;

    private static EtcdServers servers(EtcdEndpoint endpoint) {
        return EtcdServers.at(List.of(endpoint.uri()));
    }

    private static TestClient client(EtcdServers servers) {
        EtcdLockOptions options = LocalEtcd.PATIENT;
        return TestClient.of(EtcdConnection.to(servers, options), options, LEASE);
    }

    private static void assertLocks(EtcdServers servers) {
        try (TestClient one = client(servers);
                TestClient other = client(servers)) {
            HeldLock held = one.locks.acquire(one.locks.request(KEY));
            var waiter = other.locks.acquireAsync(other.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
            await().atMost(TestClient.PATIENCE).until(() -> one.waiters(KEY) == 1);
            held.release();
            TestClient.get(waiter).close();
        }
    }

    @Test
    void locksWithAUserAndAPassword() {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withPassword("secret"))) {
            assertLocks(servers(server.endpoint()).withCredentials("root", "secret"));
        }
    }

    /** Each used to ask for a token of its own, for which etcd computes a slow hash. */
    @Test
    void theFirstLocksOfAProcessShareOneRequestForAToken() {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withPassword("secret"));
                LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = EtcdConnection.to(
                        servers(server.endpoint()).withCredentials("root", "secret"), LocalEtcd.PATIENT)) {
            EtcdRpcs before = server.probe().rpcs();
            EtcdCalls calls = connection.calls(runtime.timeouts(), TestClient.PATIENCE, 1);
            Stream.generate(() -> calls.get(ByteSequence.from("any", StandardCharsets.UTF_8), GetOption.DEFAULT))
                    .limit(50)
                    .toList()
                    .forEach(TestClient::get);
            assertThat(server.probe().rpcs().since(before).started("Authenticate"))
                    .isEqualTo(1);
        }
    }

    /** etcd forgets a token that was not used for a while; the driver asks for another when a call is refused. */
    @Test
    void holdsAndWaitsLongerThanATokenLives() {
        try (EtcdServer server = EtcdServer.start(SHORT_TOKENS)) {
            EtcdServers servers = servers(server.endpoint()).withCredentials("root", "secret");
            try (TestClient one = client(servers);
                    TestClient other = client(servers)) {
                HeldLock held = one.locks.acquire(one.locks.request(KEY));
                awaitKeptBeyondItsLease(one, Ticker.system().nanos());
                assertThat(other.locks.tryAcquire(other.locks.request(KEY))).isEmpty();
                assertThat(held.isHeld()).isTrue();
                held.release();
                await().pollDelay(TOKEN_LIFE.multipliedBy(2)).until(() -> true);
                other.locks.acquire(other.locks.request(KEY)).close();
            }
        }
    }

    /** A stream keeps the token that it was opened with. */
    @Test
    void tellsOfALossAlsoIfTheTokenOfItsStreamHasExpired() {
        try (EtcdServer server = EtcdServer.start(SHORT_TOKENS);
                TestClient client = client(servers(server.endpoint()).withCredentials("root", "secret"))) {
            client.locks.acquire(client.locks.request("first"));
            await().atMost(TestClient.PATIENCE)
                    .until(() -> server.probe().watches().watchers() == 1);
            await().pollDelay(TOKEN_LIFE.multipliedBy(3)).until(() -> true);
            HeldLock held = client.locks.acquire(client.locks.request(KEY));
            await().atMost(TestClient.PATIENCE)
                    .until(() -> server.probe().watches().watchers() == 2);
            server.probe().deleteAll("lock/orders/");
            assertThat(held.lost()).succeedsWithin(TestClient.PATIENCE);
        }
    }

    /** Nothing else asks for a new one while locks are only held. */
    @Test
    void watchesAgainAlsoIfTheTokenHasExpiredWhenTheStreamBreaks() {
        try (EtcdServer server = EtcdServer.start(SHORT_TOKENS);
                FaultProxy proxy = FaultProxy.to(server.host(), server.port());
                TestClient client =
                        client(servers(server.endpoint().withPort(proxy.port())).withCredentials("root", "secret"))) {
            HeldLock held = client.locks.acquire(client.locks.request(KEY));
            await().atMost(TestClient.PATIENCE)
                    .until(() -> server.probe().watches().watchers() == 1);
            await().pollDelay(TOKEN_LIFE.multipliedBy(3)).until(() -> true);
            EtcdRpcs before = server.probe().rpcs();
            proxy.cut();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> server.probe().rpcs().since(before).started("Watch") > 0
                            && server.probe().watches().watchers() == 1);
            server.probe().deleteAll("lock/orders/");
            assertThat(held.lost()).succeedsWithin(TestClient.PATIENCE);
        }
    }

    /** A change of any right makes such tokens stale. */
    @Test
    void whoDoesNotWaitGetsALockAlsoIfRightsHaveChanged() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef0123456789abcdef");
        EtcdServerOptions signed = EtcdServerOptions.defaults()
                .withPassword("secret")
                .withSetting("auth-token", "jwt,priv-key=" + key + ",sign-method=HS256,ttl=10m");
        try (EtcdServer server = EtcdServer.start(signed);
                TestClient client = client(servers(server.endpoint()).withCredentials("root", "secret"))) {
            client.locks.acquire(client.locks.request(KEY)).close();
            try (Client root = Client.builder()
                    .endpoints(server.uri())
                    .user(bytes("root"))
                    .password(bytes("secret"))
                    .build()) {
                root.getAuthClient().roleAdd(bytes("any")).get();
                root.getAuthClient().userAdd(bytes("any"), bytes("pw")).get();
                root.getAuthClient().userGrantRole(bytes("any"), bytes("any")).get();
            }
            client.locks.acquire(client.locks.request(KEY)).close();
        }
    }

    /** Once its session was extended: the server means to keep it for longer than it was granted for. */
    private static void awaitKeptBeyondItsLease(TestClient client, long grantedNanos) {
        await().atMost(TestClient.PATIENCE)
                .pollDelay(TOKEN_LIFE.multipliedBy(2))
                .until(() -> {
                    Duration since = Duration.ofNanos(Ticker.system().nanos() - grantedNanos);
                    var holders = client.locks.inspect(KEY).orElseThrow().holders();
                    return since.plus(holders.get(0).remaining().orElseThrow()).compareTo(LEASE.plusSeconds(1)) > 0;
                });
    }

    @Test
    void saysThatThePasswordIsWrong() {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withPassword("secret"));
                LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = EtcdConnection.to(
                        servers(server.endpoint()).withCredentials("root", "wrong"), LocalEtcd.PATIENT);
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
                var locks = LockClientBuilder.of(provider, runtime).build()) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(locks.request(KEY).withWaitTime(Duration.ZERO)))
                    .withStackTraceContaining("authentication failed");
            assertThat(TestClient.get(provider.check()).state()).isEqualTo(ProviderStatus.State.DOWN);
        }
    }

    /** Without waiting until its deadline. */
    @Test
    void saysAtOnceThatTheUserLacksTheRight() throws Exception {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withPassword("secret"))) {
            EtcdServers servers = servers(server.endpoint());
            try (Client root = Client.builder()
                    .endpoints(server.endpoint().uri())
                    .user(bytes("root"))
                    .password(bytes("secret"))
                    .build()) {
                root.getAuthClient().userAdd(bytes("poor"), bytes("pw")).get();
            }
            try (LockRuntime runtime = LockRuntime.start();
                    EtcdConnection connection =
                            EtcdConnection.to(servers.withCredentials("poor", "pw"), LocalEtcd.PATIENT);
                    EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT);
                    var locks = LockClientBuilder.of(provider, runtime).build()) {
                var asked = locks.acquireAsync(locks.request(KEY).withWaitTime(Duration.ofHours(1)));
                assertThat(asked)
                        .failsWithin(TestClient.PATIENCE)
                        .withThrowableThat()
                        .withCauseInstanceOf(LockUnavailableException.class)
                        .withMessageEndingWith("failed: PERMISSION_DENIED: etcdserver: permission denied");
            }
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    @Test
    void locksOverTls() throws SSLException {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withTls())) {
            assertLocks(EtcdServers.at(List.of(server.uri()), tls(server.endpoint())));
        }
    }

    @Test
    void locksOverTlsWithACertificateOfItsOwn() throws SSLException {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withMutualTls())) {
            assertLocks(EtcdServers.at(List.of(server.uri()), tls(server.endpoint())));
        }
    }

    /** Under a name that its certificate does not bear. */
    private static EtcdConnection byAnotherName(EtcdServer server, UnaryOperator<EtcdServers> more)
            throws SSLException {
        URI named = URI.create("https://etcd.test:" + server.port());
        return EtcdConnection.to(
                more.apply(EtcdServers.at(List.of(named), tls(server.endpoint()))),
                LocalEtcd.PATIENT,
                builder -> {},
                name -> InetAddress.getAllByName(server.host()));
    }

    @Test
    void aMemberHasToProveThatItIsTheOneThatWasNamed() throws SSLException {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withTls());
                LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = byAnotherName(server, UnaryOperator.identity());
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT)) {
            ProviderStatus status = TestClient.get(provider.check());
            assertThat(status.state()).isEqualTo(ProviderStatus.State.DOWN);
            assertThat(status.details().get("error")).asString().startsWith("a read failed: UNAVAILABLE: io exception");
        }
    }

    @Test
    void theCertificatesMayBearAnotherNameThatIsGiven() throws SSLException {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withTls());
                LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = byAnotherName(server, servers -> servers.withAuthority("localhost"));
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT)) {
            assertThat(TestClient.get(provider.check()).state()).isEqualTo(ProviderStatus.State.UP);
        }
    }

    private static SslContext tls(EtcdEndpoint endpoint) throws SSLException {
        SslContextBuilder builder = GrpcSslContexts.forClient();
        endpoint.certificate()
                .ifPresent(trusted -> builder.trustManager(trusted.certificate().toFile()));
        endpoint.clientCertificate()
                .ifPresent(own ->
                        builder.keyManager(own.certificate().toFile(), own.key().toFile()));
        return builder.build();
    }
}
