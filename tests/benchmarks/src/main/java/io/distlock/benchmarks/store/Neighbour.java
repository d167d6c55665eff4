package io.distlock.benchmarks.store;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The other JVM's side: does what it reads, a line at a time, until there is nothing more to read, so that it ends with
 * the JVM that started it. Each reply is a line with a reading of the monotonic clock.
 *
 * <ul>
 *   <li>{@code clock}: reads the clock.
 *   <li>{@code warm-up cycles}: takes and gives back that many locks that nobody else wants.
 *   <li>{@code take item leaseMillis}: says that it is about to, then waits for the lock; the clock is read right after.
 *   <li>{@code free}: gives back what it took last; the clock is read right after.
 * </ul>
 */
public final class Neighbour {

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
            case "take" -> {
                reply();
                taken.push(locks.acquire(request(locks, words[1], Duration.ofMillis(Long.parseLong(words[2])))));
            }
            case "free" -> taken.pop().close();
            default -> throw new IllegalArgumentException("not understood: " + words[0]);
        }
    }

    private void warmUp(int cycles) {
        for (int cycle = 0; cycle < cycles; cycle++) {
            locks.acquire(locks.request("warm-up", Integer.toString(cycle))).close();
        }
    }

    private void reply() {
        out.println(Ticker.system().nanos());
        out.flush();
    }

    /** The item that neighbours contend for. */
    static LockRequest request(LockClient locks, String item, Duration lease) {
        return locks.request("contended", item).withWaitTime(PATIENCE).withLeaseTime(lease);
    }
}
