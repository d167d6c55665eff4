package io.distlock.chaos.client;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.chaos.client.Workload.Course;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.spi.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * A client's JVM: some threads that take locks and permits and stand for roles until the process is asked to end (SIGTERM),
 * and a journal of what they saw.
 * {@code ChaosClient name journal seed registerPort leaseMillis longestBodyMillis address...}
 */
public final class ChaosClient {

    private static final List<Workload.Kind> THREADS = List.of(
            Workload.Kind.LOCKS,
            Workload.Kind.LOCKS,
            Workload.Kind.LOCKS,
            Workload.Kind.KEPT,
            Workload.Kind.PERMITS,
            Workload.Kind.PERMITS);
    private static final int LOOKS = 50;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private ChaosClient() {}

    /** Runs it. */
    public static void main(String[] arguments) throws InterruptedException {
        String name = arguments[0];
        Ticker ticker = Ticker.system();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endOrderly(stop, ended), "end"));
        try (Journal journal = Journal.in(Path.of(arguments[1]), ticker);
                Pacer pacer = new Pacer(name, journal, ticker)) {
            pacer.start();
            Workload load = new Workload(
                    Long.parseLong(arguments[2]), Long.parseLong(arguments[4]), Long.parseLong(arguments[5]));
            List<String> address = Arrays.asList(arguments).subList(6, arguments.length);
            work(name, journal, Integer.parseInt(arguments[3]), load, address, stop);
        } finally {
            ended.countDown();
        }
    }

    private static void work(
            String name, Journal journal, int register, Workload load, List<String> address, CountDownLatch stop)
            throws InterruptedException {
        try (Access access = Access.to(address)) {
            access.locks().addListener(event -> {
                if (event instanceof LockEvent.Renewed renewed) {
                    journal.now(
                            Kind.RENEWED,
                            name,
                            renewed.key().text(),
                            renewed.token().value(),
                            renewed.confirmed());
                }
            });
            journal.now(Kind.STARTED, name);
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < THREADS.size(); number++) {
                String worker = name + '-' + number;
                Course course = load.of(number, THREADS.get(number));
                threads.add(new Thread(new Worker(worker, access.locks(), journal, register, course, stop), worker));
            }
            for (int role = 0; role < Keys.ROLES; role++) {
                String candidate = name + "-role" + role;
                Duration lease = Duration.ofMillis(load.leaseMillis());
                Random random = load.random(threads.size());
                threads.add(new Thread(
                        new Candidate(candidate, access, role, lease, journal, register, random, stop), candidate));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            recordTheEnd(name, journal, access.locks());
        }
    }

    /** A call that has ended is counted as one that waits for a moment longer. */
    private static void recordTheEnd(String name, Journal journal, LockClient locks) throws InterruptedException {
        for (int look = 0;
                look < LOOKS && locks.held().count() + locks.waiting().count() > 0;
                look++) {
            Thread.sleep(BETWEEN_LOOKS.toMillis());
        }
        journal.now(Kind.ENDED, name, locks.held().count(), locks.waiting().count());
    }

    private static void endOrderly(CountDownLatch stop, CountDownLatch ended) {
        stop.countDown();
        try {
            ended.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
