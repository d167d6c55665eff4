package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class FreePortTests {

    @Test
    void canBeBound() {
        int port = FreePort.next();

        assertThatCode(() -> new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close())
                .doesNotThrowAnyException();
    }

    /** One who was killed wants it back. */
    @Test
    void isHandedOutOnceAndToOneJvm() throws Exception {
        List<Integer> ports =
                IntStream.range(0, 200).map(each -> FreePort.next()).boxed().collect(Collectors.toList());
        Process other = ChildJvm.of(PortTaker.class).start();
        try (BufferedReader printed = other.inputReader()) {
            printed.lines().map(Integer::valueOf).forEach(ports::add);
        }
        assertThat(ports).hasSize(1_200).doesNotHaveDuplicates();
    }

    @RepeatedTest(20)
    void leavesRoomForTheClusterBus() {
        assertThat(FreePort.next() + 10_000).isLessThan(32_768);
    }
}
