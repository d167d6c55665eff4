package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EtcdServerTests {

    @Test
    void aRestartLosesNothing() {
        try (EtcdServer server = EtcdServer.start()) {
            int port = server.port();
            server.probe().put("key", "value");

            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.probe().get("key").map(EtcdEntry::value)).contains("value");
        }
    }

    @Test
    void asksForAPassword() {
        try (EtcdServer server = EtcdServer.start(EtcdServerOptions.defaults().withPassword("secret"))) {
            server.probe().put("key", "value");

            assertThat(server.probe().keys("")).containsExactly("key");
        }
    }

    @Test
    void asksForACertificate() {
        try (EtcdServer server =
                EtcdServer.start(EtcdServerOptions.defaults().withMutualTls().withPassword("secret"))) {
            server.probe().put("key", "value");

            assertThat(server.probe().keys("")).containsExactly("key");
        }
    }
}
