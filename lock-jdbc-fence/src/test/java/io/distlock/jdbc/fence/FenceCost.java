package io.distlock.jdbc.fence;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures what the fence's statement costs on each database: a program, no test. Each thread runs transactions of one update
 * under a lock of its own: without the statement, with it at the beginning, and with it once more before the commit, in turn,
 * so that whatever else the machine does meets all three.
 */
final class FenceCost {

    private static final int ROUNDS = Integer.getInteger("cost.rounds", 8);
    private static final Duration ROUND = Duration.ofMillis(Integer.getInteger("cost.millis", 2_000));

    private FenceCost() {}

    private enum Fenced {
        NOT,
        ONCE,
        TWICE
    }

    public static void main(String[] arguments) throws Exception {
        List<Supplier<Database>> databases = List.of(Database::postgresql, Database::mariadb, Database::h2);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (Supplier<Database> each : databases) {
                try (Database database = each.get()) {
                    database.jdbc().execute("create table work (id int primary key, done int)");
                    for (int count : new int[] {1, 4}) {
                        measure(database, threads, count);
                    }
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Prints the least median of all rounds, which other work on the machine disturbs least. */
    private static void measure(Database database, ExecutorService threads, int count) throws Exception {
        run(database, threads, count, Fenced.TWICE);
        Map<Fenced, Long> medians = new EnumMap<>(Fenced.class);
        for (int round = 0; round < ROUNDS; round++) {
            for (Fenced fenced : Fenced.values()) {
                medians.merge(fenced, run(database, threads, count, fenced), Math::min);
            }
        }
        System.out.printf("%s, %d threads, %d rounds:", FenceSql.of(database.dataSource()), count, ROUNDS);
        double without = medians.get(Fenced.NOT);
        medians.forEach((fenced, median) -> System.out.printf(" %s %d us (x %.2f)", fenced, median, median / without));
        System.out.println();
    }

    /** Returns the median of the transactions' times, in microseconds. */
    private static long run(Database database, ExecutorService threads, int count, Fenced fenced) throws Exception {
        List<Callable<List<Long>>> work = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            int own = id;
            work.add(() -> transactions(database, own, fenced));
        }
        List<Long> micros = new ArrayList<>();
        for (Future<List<Long>> each : threads.invokeAll(work)) {
            micros.addAll(each.get());
        }
        return micros.stream().sorted().toList().get(micros.size() / 2);
    }

    private static List<Long> transactions(Database database, int id, Fenced fenced) {
        NamedParameterJdbcTemplate jdbc = new NamedParameterJdbcTemplate(database.dataSource());
        FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
        String advance = FenceSql.of(database.dataSource()).advance(table.name());
        Map<String, Integer> row = Map.of("id", id);
        jdbc.update("delete from work where id = :id", row);
        jdbc.update("insert into work values (:id, 0)", row);
        TransactionTemplate transaction = database.transaction();
        List<Long> micros = new ArrayList<>();
        long end = System.nanoTime() + ROUND.toNanos();
        for (long token = System.currentTimeMillis() * 1_000; System.nanoTime() - end < 0; token++) {
            Map<String, Object> grant = FenceGrant.of(
                            new Sequencer(LockKey.of("work", "" + id), LockMode.EXCLUSIVE, new FencingToken(token)),
                            table,
                            "redis")
                    .parameters();
            long start = System.nanoTime();
            transaction.executeWithoutResult(status -> {
                if (fenced != Fenced.NOT) {
                    jdbc.update(advance, grant);
                }
                jdbc.update("update work set done = done + 1 where id = :id", row);
                if (fenced == Fenced.TWICE) {
                    jdbc.update(advance, grant);
                }
            });
            micros.add((System.nanoTime() - start) / 1_000);
        }
        return micros;
    }
}
