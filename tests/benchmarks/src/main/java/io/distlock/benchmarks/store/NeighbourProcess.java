package io.distlock.benchmarks.store;

import com.sun.management.OperatingSystemMXBean;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.spi.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A neighbour in a JVM of its own, from this side. Ends with this JVM. For one thread. */
public final class NeighbourProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader in;
    private final PrintStream out;

    private NeighbourProcess(Process process) {
        this.process = process;
        this.in = process.inputReader(StandardCharsets.UTF_8);
        this.out = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts one; returns when it is connected. */
    public static NeighbourProcess on(Store store) {
        return on(store, 1, List.of("-Xmx256m")).get(0);
    }

    /** Starts several at once; returns when all are connected. */
    public static List<NeighbourProcess> on(Store store, int count, List<String> options) {
        List<NeighbourProcess> all = new ArrayList<>();
        try {
            for (int started = 0; started < count; started++) {
                all.add(start(store, options));
            }
            all.forEach(NeighbourProcess::reply);
            return all;
        } catch (RuntimeException failure) {
            all.forEach(NeighbourProcess::close);
            throw failure;
        }
    }

    private static NeighbourProcess start(Store store, List<String> options) {
        List<String> command = new ArrayList<>(Jvm.command());
        command.addAll(options);
        command.addAll(List.of(
                // In tests, another one comes first, which writes to the standard output, where replies are expected.
                "-Dlogback.configurationFile=logback.xml", "-cp", System.getProperty("java.class.path")));
        command.addAll(store.neighbour());
        try {
            return new NeighbourProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot start " + String.join(" ", command), failure);
        }
    }

    /** Its monotonic clock, now. */
    public long clock() {
        out.println("clock");
        return reply();
    }

    /** Lets its compiler see the code that matters. */
    public void warmUp(int cycles) {
        out.println("warm-up " + cycles);
        reply();
    }

    /**
     * Has it take and give back one key after the other of so many; {@link #cycled()} is to follow.
     *
     * @param first of the keys
     * @param from by the clock that all processes of this machine share
     */
    public void cycle(int first, int keys, long from, Duration time) {
        out.println("cycle " + first + ' ' + keys + ' ' + from + ' ' + time.toNanos());
    }

    /** Waits until it has done so. */
    public Cycled cycled() {
        List<Long> figures =
                Arrays.stream(line().split(" ", -1)).map(Long::valueOf).toList();
        reply();
        return new Cycled(figures.subList(2, figures.size()), figures.get(0), figures.get(1));
    }

    /**
     * What a process has done.
     *
     * @param nanos of each cycle
     * @param processor nanoseconds meanwhile
     * @param heap bytes on its heap after a collection
     */
    public record Cycled(List<Long> nanos, long processor, long heap) {}

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Has it take an item; returns when it is about to. {@link #taken()} is to follow. */
    public void take(String item, Duration lease) {
        out.println("take " + item + ' ' + lease.toMillis());
        reply();
    }

    /** Waits until it has what it was told to take. Its monotonic clock right after it got it. */
    public long taken() {
        return reply();
    }

    /** Has it give back what it took. */
    public void free() {
        out.println("free");
        reply();
    }

    /** What this JVM is to ask for, in order to contend with a neighbour. */
    public static LockRequest request(LockClient locks, String item, Duration lease) {
        return Neighbour.request(locks, item, lease);
    }

    /** Ends it at once (SIGKILL), whatever it is doing or holding. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    private long reply() {
        return Long.parseLong(line());
    }

    private String line() {
        try {
            String line = in.readLine();
            if (line == null) {
                throw new IllegalStateException("the neighbour ended with " + process.waitFor());
            }
            return line;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", interrupt);
        }
    }

    @Override
    public void close() {
        out.close();
        kill();
    }

    /**
     * The other JVM's side: does what it reads, a line at a time, until there is nothing more to read, so that it ends with
     * the JVM that started it. Each reply is a line with a reading of the monotonic clock.
     *
     * <ul>
     *   <li>{@code clock}: reads the clock.
     *   <li>{@code warm-up cycles}: takes and gives back that many locks that nobody else wants.
     *   <li>{@code cycle first keys fromNanos nanos}: takes and gives back one key after the other in that time; before the reply
     *       comes a line with processor time, heap, and the time of each cycle.
     *   <li>{@code take item leaseMillis}: says that it is about to, then waits for the lock; the clock is read right after.
     *   <li>{@code free}: gives back what it took last; the clock is read right after.
     * </ul>
     */
    public static final class Neighbour {

        static final Duration PATIENCE = Duration.ofSeconds(60);

        private final LockClient locks;
        private final BufferedReader in;
        private final PrintStream out;
        private final Deque<HeldLock> taken = new ArrayDeque<>();

        /** Does what it reads from a stream with the locks of a client. */
        public Neighbour(LockClient locks, InputStream in, PrintStream out) {
            this.locks = locks;
            this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            this.out = out;
        }

        /** Returns when there is nothing more to read. */
        public void serve() {
            reply();
            try {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    obey(line.split(" ", -1));
                    reply();
                }
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        }

        private void obey(String[] words) {
            switch (words[0]) {
                case "clock" -> {}
                case "warm-up" -> warmUp(Integer.parseInt(words[1]));
                case "cycle" ->
                    cycle(Arrays.stream(words)
                            .skip(1)
                            .mapToLong(Long::parseLong)
                            .toArray());
                case "take" -> {
                    reply();
                    taken.push(locks.acquire(request(locks, words[1], Duration.ofMillis(Long.parseLong(words[2])))));
                }
                case "free" -> taken.pop().close();
                default -> throw new IllegalArgumentException("not understood: " + words[0]);
            }
        }

        private void cycle(long... order) {
            long from = order[2];
            for (long left = from - now(); left > 0; left = from - now()) {
                LockSupport.parkNanos(left);
            }
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long processor = system.getProcessCpuTime();
            LongStream.Builder times = LongStream.builder();
            long key = order[0];
            for (long started = now(); started - from < order[3]; started = now()) {
                locks.acquire(locks.request("capacity", Long.toString(key++ % order[1])))
                        .close();
                times.add(now() - started);
            }
            processor = system.getProcessCpuTime() - processor;
            MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
            memory.gc();
            long heap = memory.getHeapMemoryUsage().getUsed();
            out.println(LongStream.concat(LongStream.of(processor, heap), times.build())
                    .mapToObj(Long::toString)
                    .collect(Collectors.joining(" ")));
        }

        private static long now() {
            return Ticker.system().nanos();
        }

        private void warmUp(int cycles) {
            for (int cycle = 0; cycle < cycles; cycle++) {
                locks.acquire(locks.request("warm-up", Integer.toString(cycle))).close();
            }
        }

        private void reply() {
            out.println(now());
            out.flush();
        }

        /** The item that neighbours contend for. */
        static LockRequest request(LockClient locks, String item, Duration lease) {
            return locks.request("contended", item).withWaitTime(PATIENCE).withLeaseTime(lease);
        }
    }
}
