package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.etcd.jetcd.ClientBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdOptionsTests {

    private static final EtcdServers LOCAL = EtcdServers.at(List.of(URI.create("http://localhost:2379")));

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "lock/", "/lock", "app/orders", "a b", "a\tb"})
    void aKeyPrefixThatWouldBeAmbiguousIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdLockOptions.defaults().withKeyPrefix(prefix))
                .withMessageContaining("key prefix \"" + prefix + "\"");
    }

    @Test
    void timesOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdLockOptions.defaults().withCallTimeout(Duration.ofMillis(9)))
                .withMessageContaining("call timeout 9ms is out of range");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LOCAL.withConnectTimeout(Duration.ofSeconds(61)))
                .withMessageContaining("connect timeout 61s is out of range");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:2379", "//localhost:2379", "redis://localhost:2379", "https://localhost:2379"})
    void anEndpointThatCannotBeMeantIsRefused(String endpoint) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdServers.at(List.of(URI.create(endpoint))))
                .withMessageContaining("endpoint \"" + endpoint + "\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://root:secret@localhost:2379",
                "root:secret@localhost:2379",
                "http://root:secret@local_host:2379",
                "http://root:se%20cret@localhost:2379",
                "http://root:se#cret@localhost:2379",
                "redis://root:secret@localhost:2379"
            })
    void anEndpointThatHoldsAPasswordIsRefusedAndNotShown(String endpoint) {
        List<URI> endpoints = List.of(URI.create("http://localhost:2379"), URI.create(endpoint));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdServers.at(endpoints))
                .withMessageContaining("an endpoint (not shown) contains a user or a password")
                .withMessageNotContainingAny("root", "cret");
    }

    @Test
    void withoutEndpointsThereIsNoEtcd() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdServers.at(List.of()))
                .withMessageContaining("name at least one member");
    }

    @Test
    void thePasswordIsNotPrinted() {
        assertThat(LOCAL.withCredentials("app", "secret").toString())
                .contains("app")
                .doesNotContain("secret");
    }

    /** etcd ends idle connections that are ("too_many_pings"), with two warnings each time. */
    @Test
    void anIdleConnectionIsNotPingedAndOneInUseIs() {
        EtcdServers servers = EtcdServers.at(List.of(URI.create("http://localhost:1")));
        List<ClientBuilder> built = new ArrayList<>();
        EtcdConnection.to(servers, EtcdLockOptions.defaults(), built::add).close();
        assertThat(built).singleElement().satisfies(builder -> {
            assertThat(builder.keepaliveWithoutCalls()).isFalse();
            assertThat(builder.keepaliveTime()).isEqualTo(Duration.ofSeconds(10));
        });
    }
}
