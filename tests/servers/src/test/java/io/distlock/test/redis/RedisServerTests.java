package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.test.process.FreePort;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedisServerTests {

    @Test
    void answersOnceStarted() {
        try (RedisServer server = RedisServer.start()) {
            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
        }
    }

    @Test
    void theBundledProgramAnswersToo() {
        RedisBinary bundled = RedisBinary.embedded().orElseThrow();

        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withBinary(bundled))) {
            assertThat(server.probe().info("server").get("redis_version")).startsWith("6.2");
        }
    }

    @Test
    void closeEndsTheProcess() {
        RedisServer server = RedisServer.start();

        server.close();

        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(() -> new Socket(server.host(), server.port()).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void closeDeletesTheFolder() {
        RedisServer server = RedisServer.start();
        Path folder = dataFolder(server).getParent();

        server.close();

        assertThat(folder).doesNotExist();
    }

    @Test
    void configLinesWinOverOurs() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withConfig("appendonly yes", "maxclients 77"))) {
            assertThat(server.probe().command("CONFIG", "GET", "maxclients").texts())
                    .containsExactly("maxclients", "77");
            assertThat(server.probe().command("CONFIG", "GET", "appendonly").texts())
                    .containsExactly("appendonly", "yes");
        }
    }

    @Test
    void aRestartKeepsThePort() {
        try (RedisServer server = RedisServer.start()) {
            int port = server.port();

            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
        }
    }

    @Test
    void aRestartDrawsANewRunId() {
        try (RedisServer server = RedisServer.start()) {
            String before = server.probe().runId();

            server.restart();

            assertThat(server.probe().runId()).isNotEqualTo(before);
        }
    }

    @Test
    void aRestartWithoutPersistenceLosesEverything() {
        try (RedisServer server = RedisServer.start()) {
            server.probe().command("SET", "key", "value");

            server.restart();

            assertThat(server.probe().keys()).isEmpty();
        }
    }

    @Test
    void aRestartWithPersistenceLosesNothing() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withPersistence())) {
            server.probe().command("SET", "key", "value");

            server.restart();

            assertThat(server.probe().get("key")).contains("value");
        }
    }

    @Test
    void anEmptyRestartLosesWhatWasOnDisk() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withPersistence())) {
            server.probe().command("SET", "key", "value");

            server.restartEmpty();

            assertThat(server.probe().keys()).isEmpty();
        }
    }

    @Test
    void aFrozenServerAnswersOnceThawed() throws IOException {
        try (RedisServer server = RedisServer.start();
                Socket socket = new Socket(server.host(), server.port())) {
            socket.setSoTimeout(200);
            server.freeze();
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(IOException.class);

            server.thaw();

            socket.setSoTimeout(20_000);
            assertThat(socket.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void resetBringsBackADeadServer() {
        try (RedisServer server = RedisServer.start()) {
            server.kill();

            server.reset();

            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
        }
    }

    @Test
    void resetThawsAFrozenServer() {
        try (RedisServer server = RedisServer.start()) {
            server.freeze();

            server.reset();

            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
        }
    }

    @Test
    void aPasswordIsAskedFor() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withPassword("secret"))) {
            RedisEndpoint anonymous = withoutCredentials(server.endpoint());

            assertThatThrownBy(() -> RedisProbe.open(anonymous).close())
                    .isInstanceOf(RedisErrorException.class)
                    .hasMessageStartingWith("NOAUTH");
            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
            assertThat(server.uri()).hasToString("redis://:secret@127.0.0.1:" + server.port());
        }
    }

    @Test
    void anAclUserIsAskedFor() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withUser("locker", "secret"))) {
            assertThat(server.probe().command("ACL", "WHOAMI").text()).isEqualTo("locker");
            assertThat(server.uri()).hasToString("redis://locker:secret@127.0.0.1:" + server.port());
        }
    }

    @Test
    void speaksTls() {
        try (RedisServer server =
                RedisServer.start(RedisServerOptions.defaults().withTls())) {
            assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
            assertThat(server.uri()).hasScheme("rediss");
        }
    }

    @Test
    void anotherPortIsTriedIfTheFirstIsTaken() {
        try (RedisServer first = RedisServer.start()) {
            Iterator<Integer> ports = List.of(first.port(), FreePort.next()).iterator();

            try (RedisServer second = RedisServer.start(RedisServerOptions.defaults(), List.of(), ports::next)) {
                assertThat(second.probe().runId()).isNotEqualTo(first.probe().runId());
            }
        }
    }

    @Test
    void aBadConfigLineIsReportedInTheServersWords() {
        RedisServerOptions options = RedisServerOptions.defaults().withConfig("no-such-option yes");

        assertThatThrownBy(() -> RedisServer.start(options))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exit code 1")
                .hasMessageContaining("no-such-option");
    }

    @Test
    void aProgramWithoutTlsIsNamed() throws IOException {
        try (TestFolder folder = TestFolder.create("fake")) {
            Path fake = folder.path().resolve("redis-server");
            Files.writeString(fake, """
                    #!/bin/sh
                    echo ">>> 'tls-port 12345'"
                    echo "Bad directive or wrong number of arguments"
                    exit 1
                    """);
            assertThat(fake.toFile().setExecutable(true)).isTrue();
            RedisServerOptions options = RedisServerOptions.defaults().withTls().withBinary(new RedisBinary(fake));

            assertThatThrownBy(() -> RedisServer.start(options)).hasMessageContaining(fake + " was built without TLS");
        }
    }

    private static RedisEndpoint withoutCredentials(RedisEndpoint endpoint) {
        return new RedisEndpoint(endpoint.host(), endpoint.port(), Optional.empty(), endpoint.certificate());
    }

    private static Path dataFolder(RedisServer server) {
        return Path.of(server.probe().command("CONFIG", "GET", "dir").texts().get(1));
    }
}
