package io.distlock.jdbc.fence.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.fencing.Fence;
import io.distlock.jdbc.fence.Database;
import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.JdbcFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Holders that have lost their locks without noticing, on each lock store, database and isolation level: with a fence none
 * of them writes after the next one, and no update is lost. The same without a fence shows that it is the fence.
 *
 * <p>{@code -Dproof.rounds=N} runs N rounds of each combination, {@code -Dproof.freezes=N} freezes a process N times.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES) // for the long form, and for busy machines
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FencingProofTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int ROUNDS = Integer.getInteger("proof.rounds", 18);
    private static final int ROUNDS_OF_CONTROL = 18;
    private static final List<Work.Form> FORMS = List.of(Work.Form.values());
    private static final int FREEZES = Integer.getInteger("proof.freezes", 2);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Database> databases = new TreeMap<>();
    private final Map<LockStore, Victim> others = new HashMap<>();

    @BeforeAll
    void start() {
        List<CompletableFuture<LockStore>> stores =
                List.of(supply(LockStore::redis), supply(LockStore::redlock), supply(LockStore::etcd));
        CompletableFuture<Database> postgresql = supply(Database::postgresql);
        CompletableFuture<Database> mariadb = supply(Database::mariadb);
        databases.put("h2", Database.h2());
        databases.put("postgresql", postgresql.join());
        databases.put("mariadb", mariadb.join());
        for (CompletableFuture<LockStore> each : stores) {
            LockStore store = each.join();
            Database unused = database("h2");
            others.put(store, Victim.start(store.properties(), unused.url(), unused.user(), false));
        }
    }

    @AfterAll
    void stop() {
        others.values().forEach(Victim::close);
        others.keySet().forEach(LockStore::close);
        databases.values().forEach(Database::close);
        threads.shutdownNow();
    }

    @Test
    void aHolderThatWasOvertakenNeverWrites() {
        assertThat(run(true)).hasSize(27).allSatisfy((name, tally) -> {
            assertThat(tally.rounds()).isEqualTo(ROUNDS);
            assertThat(tally.staleCommits()).isZero();
            assertThat(tally.lostUpdates()).isZero();
            assertThat(tally.overtaken()).isPositive();
            assertThat(tally.refused()).isPositive();
        });
    }

    @Test
    void withoutAFenceItWritesInSpiteOfTheLock() {
        assertThat(run(false)).hasSize(27).allSatisfy((name, tally) -> {
            assertThat(tally.staleCommits()).isPositive();
            assertThat(tally.lostUpdates()).isPositive();
        });
    }

    /** By lock store, database and isolation level. The lock stores' rounds run at the same time. */
    private Map<String, Tally> run(boolean fenced) {
        Map<String, Tally> tallies = new TreeMap<>();
        others.keySet().stream()
                .map(store -> CompletableFuture.runAsync(
                        () -> databases.forEach((name, database) -> run(store, name, fenced, tallies)), threads))
                .toList()
                .forEach(CompletableFuture::join);
        System.out.println((fenced ? "fenced " : "not fenced ") + tallies);
        return tallies;
    }

    private void run(LockStore store, String name, boolean fenced, Map<String, Tally> tallies) {
        Database database = database(name);
        Bookings bookings = bookings(database, "booking_%s_%s".formatted(store.provider(), fenced));
        try (Victim victim = Victim.start(store.propertiesOfVictim(), database.url(), database.user(), fenced)) {
            Rounds rounds = new Rounds(store, database, victim, rival(store, database, fenced), threads);
            // On etcd, locks with one lease time share a session: the end of one round's is no matter to the next.
            Duration lease = LEASE;
            for (Work.Isolation isolation : Work.Isolation.values()) {
                String account = store.provider() + "-" + isolation;
                Tally tally = new Tally();
                for (int i = 0; i < (fenced ? ROUNDS : ROUNDS_OF_CONTROL); i++) {
                    Work.Form form = FORMS.get(i / 6 % FORMS.size());
                    lease = lease.plusSeconds(1);
                    rounds.run(new Work(bookings.table(), account, form, isolation), lease, i, tally);
                }
                tally.addFrom(bookings, account);
                synchronized (tallies) {
                    tallies.put(store.provider() + " " + name + " " + isolation, tally);
                }
            }
        }
    }

    @Test
    void aProcessThatIsFrozenPastItsLeaseNeverWritesWithAFenceAndDoesWithout() {
        Tally fenced = new Tally();
        Tally control = new Tally();
        try (VictimProcess process = VictimProcess.start()) {
            List<Frozen> all = frozen();
            all.forEach(each -> each.startVictim(process));
            for (int i = 1; i <= FREEZES; i++) {
                freezeOnce(process, all).forEach(each -> each.count(each.fenced ? fenced : control));
            }
            all.forEach(each -> (each.fenced ? fenced : control).addFrom(each.bookings(), each.work.account()));
        }
        System.out.println("frozen, fenced " + fenced + "; not fenced " + control);
        assertThat(fenced.staleCommits()).isZero();
        assertThat(fenced.lostUpdates()).isZero();
        assertThat(fenced.refused()).isPositive();
        assertThat(control.staleCommits()).isPositive();
        assertThat(control.lostUpdates()).isPositive();
    }

    /**
     * All begin, and the process stops until each next holder has written or waits in the database for what is stopped.
     *
     * @return those who have lost their locks no earlier than by that
     */
    private List<Frozen> freezeOnce(VictimProcess process, List<Frozen> all) {
        Map<String, Frozen> byAccount = new HashMap<>();
        all.forEach(each -> byAccount.put(each.work.account(), each));
        all.forEach(each -> process.write(each.victim(), each.work, SHORT_LEASE));
        List<Frozen> paused = new ArrayList<>();
        all.forEach(any -> {
            List<String> said = process.next();
            if (said.get(0).equals("paused")) {
                Frozen one = Objects.requireNonNull(byAccount.get(said.get(1)));
                one.token = Long.parseLong(said.get(2));
                paused.add(one);
            } else {
                assertThat(said.get(2)).isIn("LOST", "CONFLICT");
            }
        });
        process.process().freeze();
        paused.forEach(
                each -> each.next = CompletableFuture.runAsync(() -> each.rival.write(each.work, () -> {}), threads));
        databases
                .values()
                .forEach(database -> await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> paused.stream()
                                        .filter(each -> each.database == database && !each.next.isDone())
                                        .count()
                                <= database.waiting()));
        paused.forEach(each -> each.overtaken = each.next.isDone());
        process.resume();
        process.process().thaw();
        paused.forEach(any -> {
            List<String> ended = process.next();
            assertThat(ended).startsWith("ended");
            Objects.requireNonNull(byAccount.get(ended.get(1))).outcome = Victim.Outcome.valueOf(ended.get(2));
        });
        paused.forEach(each -> each.next.orTimeout(60, TimeUnit.SECONDS).join());
        return paused;
    }

    /** Each kind of work on each lock store, isolation level and database to which another process can connect. */
    private List<Frozen> frozen() {
        List<Frozen> all = new ArrayList<>();
        for (LockStore store : others.keySet()) {
            for (String name : List.of("postgresql", "mariadb")) {
                for (boolean fenced : List.of(true, false)) {
                    Database database = database(name);
                    Rival rival = rival(store, database, fenced);
                    for (Work.Isolation isolation : Work.Isolation.values()) {
                        for (Work.Form form : Work.Form.values()) {
                            String account =
                                    String.join("-", store.provider(), name, "" + fenced, "" + isolation, "" + form);
                            // Serializable transactions that read one account lock out those that book on the next.
                            String table =
                                    bookings(database, "frozen_" + all.size()).table();
                            all.add(new Frozen(
                                    store, database, fenced, new Work(table, account, form, isolation), rival));
                        }
                    }
                }
            }
        }
        return all;
    }

    /** One writer of the frozen process, and its next holder in this one. */
    private static final class Frozen {

        private final LockStore store;
        private final Database database;
        private final boolean fenced;
        private final Work work;
        private final Rival rival;
        private CompletableFuture<Void> next = new CompletableFuture<>();
        private Victim.Outcome outcome = Victim.Outcome.DONE;
        private long token;
        private boolean overtaken;

        Frozen(LockStore store, Database database, boolean fenced, Work work, Rival rival) {
            this.store = store;
            this.database = database;
            this.fenced = fenced;
            this.work = work;
            this.rival = rival;
        }

        String victim() {
            return store.provider() + database.url() + fenced;
        }

        void startVictim(VictimProcess process) {
            if (work.form() == Work.Form.TWO_TRANSACTIONS && work.isolation() == Work.Isolation.SERIALIZABLE) {
                process.startVictim(victim(), store.properties(), database.url(), database.user(), fenced);
                assertThat(process.next()).startsWith("started");
            }
        }

        Bookings bookings() {
            return new Bookings(database.jdbc(), work.table());
        }

        void count(Tally tally) {
            tally.add(outcome, overtaken, bookings().has(work.account(), token));
        }
    }

    private Rival rival(LockStore store, Database database, boolean fenced) {
        FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, "lock");
        Optional<Fence> fence =
                fenced ? Optional.of(new JdbcFence(database.dataSource(), table, store.provider())) : Optional.empty();
        return new Rival(Objects.requireNonNull(others.get(store)).clients().primary(), database.dataSource(), fence);
    }

    private static Bookings bookings(Database database, String table) {
        Bookings bookings = new Bookings(database.jdbc(), table);
        bookings.create();
        return bookings;
    }

    private Database database(String name) {
        return Objects.requireNonNull(databases.get(name));
    }

    private <T> CompletableFuture<T> supply(Supplier<T> start) {
        return CompletableFuture.supplyAsync(start, threads);
    }
}
