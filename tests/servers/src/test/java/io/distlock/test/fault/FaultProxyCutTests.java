package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

/** Connections that break: all, some, or at the next request or reply. */
class FaultProxyCutTests extends FaultProxyFixture {

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
}
