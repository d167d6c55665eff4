package io.distlock.test.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server behind a proxy, and a client that has said hello to it. */
abstract class FaultProxyFixture {

    /** For how long a test listens for what must not come. */
    static final int A_WHILE = 200;

    final EchoServer server = new EchoServer();
    final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
    LineClient client;

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
}
