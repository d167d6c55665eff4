package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One run of a server: started, watched, frozen, killed. It never outlives this JVM, not even one that is killed.
 *
 * <p>Its output goes to a file in its folder, which each later run in the same folder continues.
 *
 * <p>Safe for use by several threads.
 */
public final class ServerProcess implements AutoCloseable {

    private static final Duration TIME_TO_DIE = Duration.ofSeconds(60);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);
    private static final int TAIL_LINES = 30;

    private final String name;
    private final Process process;
    private final Path log;
    private final DeathGuard guard;
    private volatile boolean frozen;

    private ServerProcess(String name, Process process, Path log, DeathGuard guard) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.guard = guard;
        process.onExit().thenRun(guard::dismiss);
    }

    /**
     * Starts a program; does not wait until it is of use, see {@link #awaitReady}.
     *
     * @param name what to call it in error messages and its log file
     * @param folder where it runs and logs; deleted if this JVM dies while the server runs
     * @param command the program and its arguments
     * @return the running server
     */
    public static ServerProcess start(String name, Path folder, List<String> command) {
        Path log = folder.resolve(name + ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return new ServerProcess(name, process, log, DeathGuard.over(process.pid(), folder));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + String.join(" ", command), e);
        }
    }

    /**
     * Waits until the server is of use.
     *
     * @param timeout how long at most
     * @param ready asked again and again; must itself end within bounded time
     * @throws IllegalStateException if it ends or is not ready in time, with its exit code and the end of its log
     */
    public void awaitReady(Duration timeout, BooleanSupplier ready) {
        long start = System.nanoTime();
        while (!ready.getAsBoolean()) {
            if (hasEndedWithin(BETWEEN_LOOKS)) {
                throw failure("ended with exit code " + process.exitValue() + " before it was ready");
            }
            if (System.nanoTime() - start > timeout.toNanos()) {
                throw failure("was not ready within " + timeout);
            }
        }
    }

    /**
     * The process id.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Whether the process is there; a frozen one is.
     *
     * @return true until it has ended
     */
    public boolean isRunning() {
        return process.isAlive();
    }

    /**
     * Whether {@link #freeze()} was called last, and not {@link #thaw()}.
     *
     * @return true while frozen
     */
    public boolean isFrozen() {
        return frozen;
    }

    /**
     * Stops it where it stands (SIGSTOP) and waits until all of it has stopped: its sockets stay open, and nothing is
     * answered.
     */
    public void freeze() {
        signal("STOP");
        frozen = true;
        awaitReady(TIME_TO_STOP, ProcessThreads.of(pid())::areStopped);
    }

    /** Lets a frozen one go on (SIGCONT). */
    public void thaw() {
        signal("CONT");
        frozen = false;
    }

    /** Ends it at once (SIGKILL), frozen or not, and waits until it has ended. */
    public void kill() {
        process.destroyForcibly();
        if (!hasEndedWithin(TIME_TO_DIE)) {
            throw failure("did not end within " + TIME_TO_DIE + " after SIGKILL");
        }
        guard.dismiss();
    }

    /** Asks it to end (SIGTERM), so that it puts its things in order, and waits until it has ended. */
    public void stop() {
        if (isRunning() && isFrozen()) {
            thaw();
        }
        process.destroy();
        if (!hasEndedWithin(TIME_TO_DIE)) {
            throw failure("did not end within " + TIME_TO_DIE + " after SIGTERM");
        }
        guard.dismiss();
    }

    /** Tells it to end at once without putting anything in order (SIGQUIT), and waits until it has ended. */
    public void quit() {
        signal("QUIT");
        if (!hasEndedWithin(TIME_TO_DIE)) {
            throw failure("did not end within " + TIME_TO_DIE + " after SIGQUIT");
        }
        guard.dismiss();
    }

    /** The same as {@link #kill()}. */
    @Override
    public void close() {
        kill();
    }

    /**
     * All it has printed, and what earlier runs in its folder have.
     *
     * @return the log; empty if it has printed nothing
     */
    public String log() {
        try {
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * An error about this server, with the end of its log.
     *
     * @param what what went wrong, as the second half of a sentence
     * @return the error, to be thrown
     */
    public IllegalStateException failure(String what) {
        List<String> lines = log().lines().toList();
        List<String> tail = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        return new IllegalStateException("%s (pid %d) %s. The end of its log:%n%s"
                .formatted(name, pid(), what, String.join(System.lineSeparator(), tail)));
    }

    private void signal(String signal) {
        if (!isRunning()) {
            throw failure("has ended and cannot be sent SIG" + signal);
        }
        try {
            // The shell's own kill: the program of that name is not installed everywhere.
            Process kill = new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, pid())).start();
            if (kill.waitFor() != 0) {
                throw failure("could not be sent SIG" + signal);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending SIG" + signal + " to " + name, e);
        }
    }

    private boolean hasEndedWithin(Duration time) {
        try {
            return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name, e);
        }
    }
}
