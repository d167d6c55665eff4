package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class CommandRecorderTests {

    private RedisProbe application;
    private CommandRecorder recorder;

    @BeforeEach
    void start(RedisServer server) {
        application = RedisProbe.open(server.endpoint());
        recorder = server.probe().record();
    }

    @AfterEach
    void stop() {
        recorder.close();
        application.close();
    }

    @Test
    void writesDownWhatClientsSend() {
        application.command("SET", "key", "a \"quoted\" \\ value\n");

        assertThat(recorder.commands())
                .extracting(RecordedCommand::words)
                .containsExactly(List.of("SET", "key", "a \"quoted\" \\ value\n"));
    }

    @Test
    void aScriptIsOneCommand() {
        application.command("EVAL", "redis.call('SET', 'a', 1) return redis.call('GET', 'a')", "0");

        assertThat(recorder.names()).containsExactly("EVAL");
    }

    @Test
    void anEvalshaOfAnUnknownScriptIsOneCommand() {
        try {
            application.command("EVALSHA", "f".repeat(40), "0");
        } catch (RedisErrorException expected) {
            assertThat(expected).hasMessageStartingWith("NOSCRIPT");
        }

        assertThat(recorder.names()).containsExactly("EVALSHA");
    }

    @Test
    void theProbesOwnCommandsDoNotCount(RedisProbe probe) {
        probe.keys();

        assertThat(recorder.names()).isEmpty();
    }

    @Test
    void keepsTheOrder() {
        application.command("SET", "key", "value");
        application.command("GET", "key");

        assertThat(recorder.names()).containsExactly("SET", "GET");
    }

    @Test
    void goesOnAfterItWasAsked() {
        application.command("SET", "key", "value");
        assertThat(recorder.names()).hasSize(1);

        application.command("GET", "key");

        assertThat(recorder.names()).containsExactly("SET", "GET");
    }

    @Test
    void namesAreInUpperCase() {
        application.command("get", "key");

        assertThat(recorder.names()).containsExactly("GET");
    }
}
