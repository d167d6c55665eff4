package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.test.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class DeathOfTheJvmTests {

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

    private static boolean isListening(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (ConnectException refused) {
            return false;
        }
    }
}
