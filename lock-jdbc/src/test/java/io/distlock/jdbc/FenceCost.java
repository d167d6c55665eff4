package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures what the fence costs on PostgreSQL: a program, no test. Each thread runs transactions of one update under a lock of
 * its own, without and with the fence in turn, so that whatever else the machine does meets both.
 */
final class FenceCost {

    private static final int ROUNDS = 8;
    private static final Duration ROUND = Duration.ofSeconds(2);

    private FenceCost() {}

    /** @param micros how long each transaction took, sorted */
    private record Measured(List<Long> micros) {

        double perSecond() {
            return micros.size() / (double) ROUND.toSeconds();
        }

        long median() {
            return micros.get(micros.size() / 2);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Database database = Database.postgresql()) {
            database.jdbc().execute("create table work (id int primary key, done int)");
            for (int count : new int[] {1, 4}) {
                run(database, threads, count, true);
                List<Double> rates = new ArrayList<>();
                List<Double> medians = new ArrayList<>();
                for (int round = 0; round < ROUNDS; round++) {
                    Measured without = run(database, threads, count, false);
                    Measured with = run(database, threads, count, true);
                    rates.add(with.perSecond() / without.perSecond());
                    medians.add((double) with.median() / without.median());
                    System.out.printf(
                            "%d threads: %.0f/s, p50 %d us without; %.0f/s, p50 %d us with the fence%n",
                            count, without.perSecond(), without.median(), with.perSecond(), with.median());
                }
                System.out.printf(
                        "%d threads: transactions per second x %.2f, p50 x %.2f (medians of %d rounds)%n",
                        count, middle(rates), middle(medians), ROUNDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static double middle(List<Double> ratios) {
        return ratios.stream().sorted().toList().get(ratios.size() / 2);
    }

    private static Measured run(Database database, ExecutorService threads, int count, boolean fenced)
            throws Exception {
        JdbcFence fence =
                new JdbcFence(database.dataSource(), new FenceTable(FenceTable.DEFAULT_NAME, "lock"), "redis");
        List<Callable<List<Long>>> work = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            int own = id;
            work.add(() -> transactions(database, fence, own, fenced));
        }
        List<Long> micros = new ArrayList<>();
        for (Future<List<Long>> each : threads.invokeAll(work)) {
            micros.addAll(each.get());
        }
        return new Measured(micros.stream().sorted().toList());
    }

    private static List<Long> transactions(Database database, JdbcFence fence, int id, boolean fenced) {
        JdbcTemplate jdbc = database.jdbc();
        jdbc.update("insert into work values (?, 0) on conflict do nothing", id);
        TransactionTemplate transaction = database.transaction();
        List<Long> micros = new ArrayList<>();
        long end = System.nanoTime() + ROUND.toNanos();
        for (long token = System.currentTimeMillis() * 1_000; System.nanoTime() - end < 0; token++) {
            Sequencer sequencer =
                    new Sequencer(LockKey.of("work", "" + id), LockMode.EXCLUSIVE, new FencingToken(token));
            long start = System.nanoTime();
            transaction.executeWithoutResult(status -> {
                if (fenced) {
                    fence.advance(sequencer);
                }
                jdbc.update("update work set done = done + 1 where id = ?", id);
            });
            micros.add((System.nanoTime() - start) / 1_000);
        }
        return micros;
    }
}
