package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTests {

    private static final int A_WHILE = 200;

    private final EchoServer server = new EchoServer();
    private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
    private LineClient client;

    @BeforeEach
    void connect() throws IOException {
        client = new LineClient(proxy);
        assertThat(client.ask("hello")).isEqualTo("hello");
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        proxy.close();
        server.close();
    }

    @Test
    void passesLargeAmountsOnUnchanged() throws IOException {
        String large = "0123456789".repeat(20_000);

        assertThat(client.ask(large)).isEqualTo(large);
    }

    @Test
    void aFrozenProxyHoldsBytesBack() throws IOException {
        proxy.freeze();
        client.send("held");

        assertThatThrownBy(() -> client.receiveWithin(A_WHILE)).isInstanceOf(SocketTimeoutException.class);
        assertThat(server.received()).containsExactly("hello");
    }

    @Test
    void aThawedProxyDeliversWhatItHeldBack() throws IOException {
        proxy.freeze();
        client.send("held");

        proxy.thaw();

        assertThat(client.receive()).isEqualTo("held");
    }

    @Test
    void aFrozenProxyAcceptsConnections() throws IOException {
        proxy.freeze();

        try (LineClient other = new LineClient(proxy)) {
            other.send("held");
            proxy.thaw();

            assertThat(other.receive()).isEqualTo("held");
        }
    }

    @Test
    void aCutIsSeenOnBothSides() {
        proxy.cut();

        assertThatThrownBy(() -> client.receive()).isInstanceOf(SocketException.class);
        await().until(() -> server.clients() == 0);
        assertThat(server.received()).containsExactly("hello", "(broken)");
    }

    @Test
    void newConnectionsWorkAfterACut() throws IOException {
        proxy.cut();

        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("again")).isEqualTo("again");
        }
    }

    @Test
    void refusesNewConnections() {
        proxy.refuse();

        assertThatThrownBy(() -> new LineClient(proxy).close()).isInstanceOf(ConnectException.class);
    }

    @Test
    void refusingLeavesConnectionsAlone() throws IOException {
        proxy.refuse();

        assertThat(client.ask("still here")).isEqualTo("still here");
    }

    @Test
    void acceptsAgainOnTheSamePort() throws IOException {
        int port = proxy.port();
        proxy.refuse();

        proxy.accept();

        assertThat(proxy.port()).isEqualTo(port);
        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("again")).isEqualTo("again");
        }
    }

    @Test
    void droppedRequestsNeverReachTheServer() throws IOException {
        proxy.dropRequests();
        client.send("lost");

        assertThatThrownBy(() -> client.receiveWithin(A_WHILE)).isInstanceOf(SocketTimeoutException.class);
        assertThat(server.received()).containsExactly("hello");
    }

    @Test
    void requestsReachTheServerWhoseRepliesAreDropped() throws IOException {
        proxy.dropReplies();
        client.send("carried out");

        await().until(() -> server.received().contains("carried out"));
        assertThatThrownBy(() -> client.receiveWithin(A_WHILE)).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aConnectionThatLostBytesIsBrokenOnceAllPassesAgain() throws IOException {
        proxy.dropReplies();
        client.send("one");
        await().until(() -> server.received().contains("one"));

        proxy.pass();

        assertThatThrownBy(() -> client.receive()).isInstanceOf(SocketException.class);
    }

    @Test
    void aConnectionThatLostNothingIsKeptWhenAllPassesAgain() throws IOException {
        proxy.dropReplies();
        proxy.dropRequests();

        proxy.pass();

        assertThat(client.ask("still here")).isEqualTo("still here");
    }

    @Test
    void seversSomeClientsAndNoOthers() throws IOException {
        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("hello")).isEqualTo("hello");
            int port = client.port();

            proxy.sever(each -> each == port);

            assertThatThrownBy(() -> client.receive()).isInstanceOf(SocketException.class);
            assertThat(other.ask("still here")).isEqualTo("still here");
        }
    }

    @Test
    void severedClientsAreLetInAgainOncePassed() throws IOException {
        proxy.sever(each -> true);
        try (LineClient other = new LineClient(proxy)) {
            assertThatThrownBy(() -> other.ask("cut off")).isInstanceOf(SocketException.class);
        }

        proxy.pass();

        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("again")).isEqualTo("again");
        }
    }

    @Test
    void passUndoesFreezeAndRefuse() throws IOException {
        proxy.freeze();
        proxy.refuse();

        proxy.pass();

        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("again")).isEqualTo("again");
        }
    }

    @Test
    void aRequestIsCarriedOutWhoseReplyIsCutOff() throws IOException {
        proxy.cutBeforeNextReply();
        client.send("carried out");

        assertThatThrownBy(() -> client.receive()).isInstanceOf(SocketException.class);
        assertThat(server.received()).contains("carried out");
    }

    @Test
    void onlyOneReplyIsCutOff() throws IOException {
        proxy.cutBeforeNextReply();
        assertThatThrownBy(() -> client.ask("one")).isInstanceOf(SocketException.class);

        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("two")).isEqualTo("two");
        }
    }

    @Test
    void aRequestThatIsCutOffIsNotCarriedOut() {
        proxy.cutBeforeNextRequest();

        assertThatThrownBy(() -> client.ask("lost")).isInstanceOf(SocketException.class);
        await().until(() -> server.clients() == 0);
        assertThat(server.received()).doesNotContain("lost");
    }

    @Test
    void passDisarmsACut() throws IOException {
        proxy.cutBeforeNextReply();

        proxy.pass();

        assertThat(client.ask("still here")).isEqualTo("still here");
    }

    @Test
    void delayedRepliesComeLater() throws IOException {
        Duration delay = Duration.ofMillis(300);
        proxy.delayReplies(delay);
        long sent = System.nanoTime();

        assertThat(client.ask("late")).isEqualTo("late");

        assertThat(Duration.ofNanos(System.nanoTime() - sent)).isGreaterThanOrEqualTo(delay);
    }

    @Test
    void delayedRepliesKeepTheirOrder() throws IOException {
        proxy.delayReplies(Duration.ofMillis(100));
        client.send("one");
        await().until(() -> server.received().contains("one"));
        proxy.delayReplies(Duration.ZERO);
        client.send("two");

        assertThat(client.receive()).isEqualTo("one");
        assertThat(client.receive()).isEqualTo("two");
    }

    @Test
    void aNegativeDelayIsRefused() {
        assertThatThrownBy(() -> proxy.delayReplies(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.001S");
    }

    @Test
    void theServersEndOfAConnectionIsPassedOn() throws IOException {
        server.closeClients();

        assertThat(client.receive()).isNull();
    }

    @Test
    void aClientThatHasSaidItsLastStillGetsItsReplies() throws IOException {
        proxy.delayReplies(Duration.ofMillis(100));
        client.send("last");
        client.endRequests();

        assertThat(client.receive()).isEqualTo("last");
        assertThat(client.receive()).isNull();
    }

    @Test
    void aServerThatIsNotThereBreaksNewConnections() throws IOException {
        server.close();

        try (LineClient other = new LineClient(proxy)) {
            assertThatThrownBy(() -> other.ask("nobody there")).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void connectionsAreCountedUntilTheyEnd() throws IOException {
        assertThat(proxy.connections()).isEqualTo(1);

        client.close();

        await().until(() -> proxy.connections() == 0);
    }

    @Test
    void closeLeavesNeitherListenerNorConnectionNorThread() {
        proxy.freeze();

        proxy.close();

        assertThatThrownBy(() -> new LineClient(proxy).close()).isInstanceOf(ConnectException.class);
        assertThat(proxy.connections()).isZero();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("fault-proxy-" + proxy.port())));
    }

    @Test
    void closingTwiceIsFine() {
        proxy.close();

        assertThatCode(proxy::close).doesNotThrowAnyException();
    }
}
