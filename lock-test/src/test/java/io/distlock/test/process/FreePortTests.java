package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class FreePortTests {

    @Test
    void canBeBound() {
        int port = FreePort.next();

        assertThatCode(() -> new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close())
                .doesNotThrowAnyException();
    }

    @RepeatedTest(20)
    void leavesRoomForTheClusterBus() {
        assertThat(FreePort.next() + 10_000).isLessThan(32_768);
    }
}
