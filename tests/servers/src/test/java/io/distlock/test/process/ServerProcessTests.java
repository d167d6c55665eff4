package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerProcessTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestFolder folder = TestFolder.create("process");

    @AfterEach
    void deleteFolder() {
        folder.close();
    }

    @Test
    void isReadyOnceItSaysSo() {
        try (ServerProcess server = shell("echo hello; exec sleep 60")) {
            server.awaitReady(SOON, () -> server.log().contains("hello"));

            assertThat(server.isRunning()).isTrue();
        }
    }

    @Test
    void anEarlyEndIsReportedWithExitCodeAndLog() {
        try (ServerProcess server = shell("echo no such option; exit 7")) {
            assertThatThrownBy(() -> server.awaitReady(SOON, () -> false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("exit code 7")
                    .hasMessageContaining("no such option");
        }
    }

    @Test
    void aServerThatIsNotReadyInTimeIsReportedWithItsLog() {
        try (ServerProcess server = shell("echo still loading; exec sleep 60")) {
            await().until(() -> server.log().contains("still loading"));

            assertThatThrownBy(() -> server.awaitReady(Duration.ofMillis(50), () -> false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not ready within PT0.05S")
                    .hasMessageContaining("still loading");
        }
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        Path missing = folder.path().resolve("missing");

        assertThatThrownBy(() -> ServerProcess.start("server", folder.path(), List.of(missing.toString())))
                .hasMessageContaining(missing.toString());
    }

    @Test
    void killEndsIt() {
        ServerProcess server = shell("exec sleep 60");

        server.kill();

        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void killEndsAFrozenOne() {
        ServerProcess server = shell("exec sleep 60");
        server.freeze();

        server.kill();

        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void stopLetsItPutItsThingsInOrder() {
        Path sign = folder.path().resolve("sign");
        ServerProcess server = shell("trap 'touch sign; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
        server.awaitReady(SOON, () -> server.log().contains("ready"));

        server.stop();

        assertThat(server.isRunning()).isFalse();
        assertThat(sign).exists();
    }

    @Test
    void stopThawsAFrozenOne() {
        ServerProcess server = shell("exec sleep 60");
        server.freeze();

        server.stop();

        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void stoppingADeadOneIsFine() {
        ServerProcess server = shell("exec sleep 60");
        server.freeze();
        server.kill();

        server.stop();

        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void killingTwiceIsFine() {
        ServerProcess server = shell("exec sleep 60");
        server.kill();

        server.kill();

        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void aFrozenOneGoesOnWhenThawed() throws IOException {
        Path sign = folder.path().resolve("sign");
        try (ServerProcess server = shell("while [ ! -e go ]; do sleep 0.01; done; touch sign; exec sleep 60")) {
            server.freeze();
            Files.createFile(folder.path().resolve("go"));
            await().during(200, TimeUnit.MILLISECONDS).until(() -> !Files.exists(sign));

            server.thaw();

            await().until(() -> Files.exists(sign));
        }
    }

    @Test
    void noThreadOfAFrozenOneRunsAnyMore() throws IOException {
        LongBuffer counts =
                BusyThreads.map(folder.path().resolve(BusyThreads.FILE)).asLongBuffer();
        List<String> program = ChildJvm.of(BusyThreads.class).command();
        try (ServerProcess server = ServerProcess.start("server", folder.path(), program)) {
            server.awaitReady(SOON, () -> read(counts).stream().allMatch(count -> count > 0));
            for (int round = 0; round < 20; round++) {
                server.freeze();
                List<Long> frozen = read(counts);
                await().during(20, TimeUnit.MILLISECONDS)
                        .pollInterval(1, TimeUnit.MILLISECONDS)
                        .until(() -> read(counts).equals(frozen));
                server.thaw();
            }
        }
    }

    private static List<Long> read(LongBuffer counts) {
        return LongStream.range(0, counts.capacity())
                .map(place -> counts.get((int) place))
                .boxed()
                .toList();
    }

    @Test
    void knowsWhetherItIsFrozen() {
        try (ServerProcess server = shell("exec sleep 60")) {
            server.freeze();
            assertThat(server.isFrozen()).isTrue();

            server.thaw();
            assertThat(server.isFrozen()).isFalse();
        }
    }

    @Test
    void aDeadOneCannotBeFrozen() {
        ServerProcess server = shell("exec sleep 60");
        server.kill();

        assertThatThrownBy(server::freeze)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended");
    }

    private ServerProcess shell(String script) {
        return ServerProcess.start("server", folder.path(), List.of("sh", "-c", script));
    }
}
