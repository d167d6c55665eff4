package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a proxy that is told nothing does, and how it ends. */
class FaultProxyTests extends FaultProxyFixture {

    @Test
    void passesLargeAmountsOnUnchanged() throws IOException {
        String large = "0123456789".repeat(20_000);

        assertThat(client.ask(large)).isEqualTo(large);
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
    void connectionsToComeAreLedToAnotherServerAndThoseThatAreThereStay() throws IOException {
        try (EchoServer other = new EchoServer()) {
            proxy.leadTo("127.0.0.1", other.port());

            try (LineClient later = new LineClient(proxy)) {
                assertThat(later.ask("who is there")).isEqualTo("who is there");
                other.closeClients();

                assertThat(later.receive()).isNull();
                assertThat(client.ask("still there")).isEqualTo("still there");
            }
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

    @Test
    void passUndoesFreezeAndRefuse() throws IOException {
        proxy.freeze();
        proxy.refuse();

        proxy.pass();

        try (LineClient other = new LineClient(proxy)) {
            assertThat(other.ask("again")).isEqualTo("again");
        }
    }
}
