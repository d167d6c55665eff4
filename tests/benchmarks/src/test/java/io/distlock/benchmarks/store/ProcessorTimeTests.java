package io.distlock.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessorTimeTests {

    @Test
    void aProcessCountsWithWhatItHasStarted() throws IOException {
        // The shell itself only waits.
        Process shell = new ProcessBuilder("sh", "-c", "sh -c 'while :; do :; done' & read wait").start();
        try {
            await().until(() -> ProcessorTime.nanos(List.of(shell.pid())) > 1e8);
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }

    @Test
    void whatAProcessHasStartedStillCountsWhenItHasEnded() throws IOException {
        Process shell = new ProcessBuilder(
                        "sh", "-c", "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; echo; read wait")
                .start();
        try {
            assertThat(shell.getInputStream().read()).isEqualTo('\n');
            assertThat(shell.descendants()).isEmpty();
            assertThat(ProcessorTime.nanos(List.of(shell.pid()))).isGreaterThan(5e7);
        } finally {
            shell.destroyForcibly();
        }
    }

    @Test
    void threadsThatHaveEndedStillCount() throws InterruptedException {
        List<Long> thisOne = List.of(ProcessHandle.current().pid());
        double before = ProcessorTime.nanos(thisOne);
        Thread busy = new Thread(() -> {
            while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < 500_000_000) {
                Thread.onSpinWait();
            }
        });
        busy.start();
        busy.join();
        assertThat(ProcessorTime.nanos(thisOne) - before).isGreaterThan(4e8);
    }

    @Test
    void aProcessThatHasEndedCountsForNothing() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        assertThat(ProcessorTime.nanos(List.of(ended.pid()))).isZero();
    }
}
