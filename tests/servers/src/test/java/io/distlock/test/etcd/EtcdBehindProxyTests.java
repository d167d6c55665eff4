package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.test.fault.FaultProxy;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EtcdExtension.class)
class EtcdBehindProxyTests {

    @Test
    void aWriteWhoseReplyIsCutOffIsDone(EtcdProbe probe, EtcdEndpoint endpoint) {
        try (FaultProxy proxy = FaultProxy.to(endpoint.host(), endpoint.port())) {
            EtcdProbe client = EtcdProbe.of(endpoint.withPort(proxy.port()));
            proxy.cutBeforeNextReply();

            assertThatThrownBy(() -> client.put("key", "value")).isInstanceOf(UncheckedIOException.class);

            assertThat(probe.keys("")).containsExactly("key");
        }
    }
}
