package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What comes late: frozen, or delayed. */
class FaultProxyDelayTests extends FaultProxyFixture {

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
}
