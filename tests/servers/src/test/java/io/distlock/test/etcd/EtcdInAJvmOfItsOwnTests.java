package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.test.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdInAJvmOfItsOwnTests {

    private static final String OTHER_PROGRAM = "-D" + EtcdBinary.PROPERTY + "=";

    @TempDir
    Path empty;

    @Test
    void aMissingProgramIsReportedWithTheCommandThatInstallsIt() throws IOException {
        ProcessBuilder jvm = ChildJvm.of(StartedAndStopped.class);
        jvm.environment().put("PATH", empty.toString());

        assertThat(outputOf(jvm)).contains("apt-get install etcd-server");
    }

    @Test
    void theSystemPropertyNamesAnotherProgram() throws IOException {
        Path other = empty.resolve("other-etcd");

        assertThat(outputOf(ChildJvm.of(StartedAndStopped.class, OTHER_PROGRAM + other)))
                .contains("cannot start " + other);
    }

    @Test
    void etcdsOwnVariablesDoNotGetThrough() throws IOException {
        ProcessBuilder jvm = ChildJvm.of(StartedAndStopped.class);
        jvm.environment().put("ETCD_NAME", "other");
        jvm.environment().put("ETCD_ELECTION_TIMEOUT", "none");

        assertThat(outputOf(jvm)).contains("started, keys [key]");
    }

    @Test
    void noServerOutlivesAJvmThatIsKilled() throws IOException, InterruptedException {
        Process jvm = ChildJvm.of(LeftBehindServer.class).start();
        try (BufferedReader output = jvm.inputReader()) {
            int port = Integer.parseInt(output.readLine());
            assertThat(isListening(port)).isTrue();

            jvm.destroyForcibly().waitFor();

            await().until(() -> !isListening(port));
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static String outputOf(ProcessBuilder builder) throws IOException {
        Process jvm = builder.start();
        try {
            return new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static boolean isListening(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (ConnectException refused) {
            return false;
        }
    }
}
