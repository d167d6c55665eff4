package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What one test leaves, the next must not find: so these tests have an order. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EtcdExtensionTests {

    @RegisterExtension
    static final EtcdExtension etcd =
            EtcdExtension.create(EtcdServerOptions.defaults().withPassword("secret"));

    private static int port;

    @Test
    @Order(1)
    void leavesAKeyAndALease() {
        port = etcd.server().port();
        etcd.probe().put("key", "value");
        etcd.probe().grant(Duration.ofSeconds(60));

        assertThat(etcd.probe().keys("")).containsExactly("key");
        assertThat(etcd.probe().leases()).hasSize(1);
    }

    @Test
    @Order(2)
    void findsNoKeyAndNoLease() {
        assertThat(etcd.probe().keys("")).isEmpty();
        assertThat(etcd.probe().leases()).isEmpty();
    }

    @Test
    @Order(3)
    void leavesTheServerDead() {
        etcd.server().kill();

        assertThat(etcd.server().isRunning()).isFalse();
    }

    @Test
    @Order(4)
    void findsTheServerAliveAndLeavesItFrozen() {
        assertThat(etcd.probe().put("key", "value")).isPositive();

        etcd.server().freeze();
    }

    @Test
    @Order(5)
    void findsTheServerThawed() {
        assertThat(etcd.probe().put("key", "value")).isPositive();
    }

    @Test
    void runsOneServerForTheClass(EtcdServer parameter) {
        assertThat(parameter).isSameAs(etcd.server());
        assertThat(parameter.port()).isEqualTo(port);
    }

    @Test
    void passesTheOptionsOn(EtcdEndpoint endpoint) {
        assertThat(endpoint.credentials()).contains(new EtcdCredentials("root", "secret"));
    }

    @Test
    void isOfNoUseOutsideATestClass() {
        assertThatThrownBy(() -> EtcdExtension.create().server()).isInstanceOf(IllegalStateException.class);
    }

    @Nested
    class InANestedClass {

        @Test
        void isTheSameServer(EtcdProbe probe) {
            assertThat(probe).isSameAs(etcd.server().probe());
            assertThat(etcd.server().port()).isEqualTo(port);
        }
    }
}
