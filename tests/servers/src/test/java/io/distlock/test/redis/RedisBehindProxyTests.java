package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.test.fault.FaultProxy;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class RedisBehindProxyTests {

    private FaultProxy proxy;
    private RedisProbe client;

    @BeforeEach
    void connect(RedisEndpoint endpoint) {
        proxy = FaultProxy.to(endpoint.host(), endpoint.port());
        client = RedisProbe.open(endpoint.withPort(proxy.port()));
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    @Test
    void aWriteWhoseReplyIsCutOffIsDone(RedisProbe probe) {
        proxy.cutBeforeNextReply();

        assertThatThrownBy(() -> client.command("SET", "key", "value")).isInstanceOf(UncheckedIOException.class);

        assertThat(probe.get("key")).contains("value");
    }

    @Test
    void aWriteThatIsCutOffIsNotDone(RedisProbe probe) {
        proxy.cutBeforeNextRequest();

        assertThatThrownBy(() -> client.command("SET", "key", "value")).isInstanceOf(UncheckedIOException.class);

        assertThat(probe.get("key")).isEmpty();
    }
}
