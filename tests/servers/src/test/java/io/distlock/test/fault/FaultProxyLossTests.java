package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

/** What never arrives: dropped bytes, refused connections. */
class FaultProxyLossTests extends FaultProxyFixture {

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
    void aSilencedConnectionStaysOpenAndOthersGoOn() throws IOException {
        proxy.silence(port -> true);
        client.send("nobody hears");
        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("somebody hears")).isEqualTo("somebody hears");
        }
        assertThat(server.received()).doesNotContain("nobody hears");
        assertThat(proxy.connections()).isPositive();
        assertThatThrownBy(() -> client.receiveWithin(A_WHILE)).isInstanceOf(SocketTimeoutException.class);
    }
}
