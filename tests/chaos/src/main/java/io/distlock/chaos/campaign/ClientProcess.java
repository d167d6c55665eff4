package io.distlock.chaos.campaign;

import io.distlock.chaos.client.ChaosClient;
import io.distlock.test.process.OwnClassPath;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.SteppableClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A client's JVM, small and quick to start. For one thread at a time. */
final class ClientProcess {

    private static final Duration TIME_TO_START = Duration.ofSeconds(90);

    private final Path journal;
    private final SteppableClock clock;
    private final ServerProcess process;

    private ClientProcess(Path journal, SteppableClock clock, ServerProcess process) {
        this.journal = journal;
        this.clock = clock;
        this.process = process;
    }

    /** Starts one; returns when it is at work or has failed to connect so far. */
    static ClientProcess start(
            String name,
            Path journals,
            Path folder,
            long seed,
            int register,
            List<Duration> times,
            List<String> address) {
        Path journal = journals.resolve(name + ".journal");
        SteppableClock clock = new SteppableClock();
        List<String> command = new ArrayList<>(clock.prefix());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                OwnClassPath.absolute(),
                ChaosClient.class.getName(),
                name,
                journal.toString(),
                Long.toString(seed),
                Integer.toString(register),
                Long.toString(times.get(0).toMillis()),
                Long.toString(times.get(1).toMillis())));
        command.addAll(address);
        ServerProcess process = ServerProcess.start(name, folder, command);
        process.awaitReady(TIME_TO_START, () -> Files.exists(journal));
        return new ClientProcess(journal, clock, process);
    }

    Path journal() {
        return journal;
    }

    void freeze() {
        process.freeze();
    }

    void thaw() {
        process.thaw();
    }

    void kill() {
        process.kill();
        clock.close();
    }

    void stepClock(Duration ahead) {
        clock.step(ahead);
    }

    /** Asks it to end: it finishes what it is at, closes its client, and writes that it has ended. */
    void stop() {
        process.stop();
        clock.close();
    }

    boolean isRunning() {
        return process.isRunning();
    }

    /** What it has printed. */
    String log() {
        return process.log();
    }
}
