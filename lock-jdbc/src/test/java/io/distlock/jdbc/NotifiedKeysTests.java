package io.distlock.jdbc;

import static io.distlock.jdbc.ImaginedMessages.NOW;
import static io.distlock.jdbc.JdbcLockContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore.Subscription;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the listener makes of messages, of their absence and of its connection; the messages and the time are the test's. */
class NotifiedKeysTests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int CALL_TIMEOUT = 1_000;
    private static final int SILENCE = 5_005;

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final Database database = Database.h2();
    private final ImaginedMessages messages = new ImaginedMessages(database, ticker);
    private final DatabaseCalls calls = new DatabaseCalls(runtime, messages, Database.PATIENT);
    private final Asking asking = new Asking();
    private final List<String> woken = new CopyOnWriteArrayList<>();
    private final NotifiedKeys keys =
            new NotifiedKeys(calls, ticker, Duration.ofMillis(CALL_TIMEOUT), "channel", asking);

    /** Notes who asks instead. */
    private static final class Asking implements KeyChanges {

        private final List<String> rows = new CopyOnWriteArrayList<>();
        private volatile boolean closed;

        @Override
        public CompletionStage<Subscription> subscribe(String row, Runnable wake) {
            rows.add(row);
            return CompletableFuture.completedFuture(() -> rows.remove(row));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @AfterEach
    void close() {
        messages.refuseConnections(false);
        messages.loseMessages(false);
        keys.close();
        calls.close();
        runtime.close();
        database.close();
        await().atMost(PATIENCE).until(() -> !listens());
    }

    private static Stream<Thread> listeners() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("distlock-jdbc-listener"));
    }

    private static boolean listens() {
        return listeners().findAny().isPresent();
    }

    private CompletableFuture<Subscription> subscribe(String row) {
        return keys.subscribe(row, () -> woken.add(row)).toCompletableFuture();
    }

    /** Until it waits for messages, having looked at what there is. */
    private void awaitSilence() {
        assertThat(messages.awaitListener()).isEqualTo(CALL_TIMEOUT);
        assertThat(messages.awaitListener()).isBetween(5_000, SILENCE);
        woken.clear();
    }

    /** Somebody waits for these, which are held for an hour, and the listener waits for messages. */
    private List<Subscription> parked(String... rows) {
        Stream.of(rows).forEach(row -> put(row, "other", 7, Duration.ofHours(1)));
        List<CompletableFuture<Subscription>> all =
                Stream.of(rows).map(this::subscribe).toList();
        List<Subscription> made = all.stream().map(JdbcLockContract::get).toList();
        awaitSilence();
        return made;
    }

    private void put(String row, String owner, long token, Duration left) {
        database.jdbc().update("delete from distributed_lock where lock_key = ?", row);
        database.jdbc()
                .update(
                        "insert into distributed_lock values (?, ?, ?, ?, '', 0, '', 0)",
                        row,
                        owner,
                        token,
                        NOW + left.toNanos() / 1_000);
    }

    /** Until it has looked at all rows once more. */
    private void lookAgain() {
        messages.passSilently(SILENCE);
        assertThat(messages.awaitListener()).isEqualTo(SILENCE);
    }

    private void awaitWoken(String... rows) {
        await().atMost(PATIENCE).until(() -> woken.containsAll(List.of(rows)));
    }

    // --- messages ---

    @Test
    void aMessageWakesAllWhoWaitForItsKeyAndNobodyElse() {
        parked("a", "b", "a");
        messages.send("a", "unknown");
        messages.awaitListener();
        assertThat(woken).containsExactly("a", "a");
    }

    @Test
    void eachOfTheMessagesThatArriveTogetherIsHeard() {
        parked("a", "b", "c");
        messages.send("c", "a");
        messages.awaitListener();
        assertThat(woken).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void whoLeavesIsNotWokenAndTheOthersAre() {
        List<Subscription> all = parked("a", "b", "a");
        all.get(0).close();
        all.get(1).close();
        messages.send("a", "b");
        messages.awaitListener();
        assertThat(woken).containsExactly("a");
    }

    // --- looks, every few seconds ---

    @Test
    void whatIsFreeWakesThoseWhoWaitThoughNoMessageCame() {
        parked("a", "b", "c");
        put("b", "", 7, Duration.ofSeconds(-1));
        lookAgain();
        assertThat(woken).containsExactly("b");
        // Whoever has come since, too, though nothing has changed.
        get(subscribe("never seen"));
        lookAgain();
        assertThat(woken).containsExactlyInAnyOrder("b", "b", "never seen");
    }

    @Test
    void anotherHolderThanAtTheLookBeforeWakesThoseWhoWaitAndARenewalNobody() {
        parked("a", "b", "c");
        put("b", "other", 7, Duration.ofHours(2));
        lookAgain();
        assertThat(woken).isEmpty();
        put("c", "third", 8, Duration.ofHours(2));
        lookAgain();
        assertThat(woken).containsExactly("c");
        lookAgain();
        assertThat(woken).containsExactly("c");
    }

    /** What it was when the last one left is not remembered: it is no news to one who comes later. */
    @Test
    void whoComesAfterTheLastOneHasLeftIsNotWokenByWhatHasChangedInBetween() {
        List<Subscription> all = parked("a", "b");
        all.get(0).close();
        lookAgain();
        put("a", "third", 8, Duration.ofHours(2));
        get(subscribe("a"));
        lookAgain();
        assertThat(woken).isEmpty();
    }

    /** Wherever it is among them. */
    @Test
    void itLooksAgainWhenTheFirstOfTheLeasesEnds() {
        for (String first : List.of("a", "b", "c")) {
            for (String row : List.of("a", "b", "c")) {
                put(row, "other", 7, row.equals(first) ? Duration.ofSeconds(2) : Duration.ofSeconds(3));
            }
            if (first.equals("a")) {
                List.of("a", "b", "c").forEach(row -> get(subscribe(row)));
                messages.awaitListener();
                messages.awaitListener();
            }
            messages.passSilently(SILENCE);
            assertThat(messages.awaitListener()).as("first %s", first).isEqualTo(2_005);
        }
    }

    @Test
    void aMessageDoesNotPutOffTheNextLook() {
        parked("a");
        ticker.advance(Duration.ofSeconds(3));
        messages.send("b");
        assertThat(messages.awaitListener()).isEqualTo(SILENCE - 3_000);
    }

    @Test
    void moreKeysThanAStatementTakesAreLookedAtByMoreStatements() {
        parked("a");
        List<String> rows =
                IntStream.range(0, 1_001).mapToObj(each -> "row" + each).toList();
        rows.forEach(row -> get(subscribe(row)));
        lookAgain();
        assertThat(woken).containsExactlyInAnyOrderElementsOf(rows);
    }

    // --- the connection ---

    /** A release may have been announced while it was broken. */
    @Test
    void allWhoWaitLookOnceMoreWhenTheConnectionStandsAgain() {
        List<Subscription> all = parked("a", "b");
        messages.breakConnection();
        awaitWoken("a", "b");
        awaitSilence();
        assertThat(all).allMatch(Subscription::looksForWaiters);
        messages.send("a");
        messages.awaitListener();
        assertThat(woken).containsExactly("a");
    }

    @Test
    void whoWaitsLooksForItselfWhileThereIsNoConnection() {
        Subscription waiter = parked("a").get(0);
        assertThat(waiter.looksForWaiters()).isTrue();
        messages.refuseConnections(true);
        messages.breakConnection();
        awaitWoken("a");
        assertThat(waiter.looksForWaiters()).isFalse();
        messages.refuseConnections(false);
        awaitSilence();
        assertThat(waiter.looksForWaiters()).isTrue();
    }

    @Test
    void whoComesWhileThereIsNoConnectionAsksInstead() {
        messages.refuseConnections(true);
        get(subscribe("a"));
        assertThat(asking.rows).containsExactly("a");
        assertThat(subscribe("b")).isDone();
        assertThat(asking.rows).containsExactly("a", "b");
        messages.refuseConnections(false);
        awaitSilence();
        get(subscribe("c"));
        assertThat(asking.rows).containsExactly("a", "b");
        lookAgain();
        // Whoever asks instead is not looked for here any more.
        assertThat(woken).containsExactly("c");
    }

    /** As by a server that is restarted each night. */
    @Test
    void aConnectionThatBreaksNowAndThenIsNotOneThatCannotBeHad() {
        parked("a");
        for (int night = 0; night < 3; night++) {
            messages.breakConnection();
            messages.awaitListener();
            messages.awaitListener();
        }
        // Once each time, when it stood again.
        assertThat(woken).containsExactly("a", "a", "a");
    }

    @Test
    void whereMessagesDoNotArriveThoseWhoWaitAskInstead() {
        messages.loseMessages(true);
        CompletableFuture<Subscription> first = subscribe("a");
        assertThat(messages.awaitListener()).isEqualTo(CALL_TIMEOUT);
        messages.passSilently(CALL_TIMEOUT);
        get(first);
        // It pauses before it tries again.
        await().atMost(PATIENCE)
                .until(() -> listeners().anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        assertThat(subscribe("b")).isDone();
        assertThat(asking.rows).containsExactly("a", "b");
        // The pool's next user of the connection does not want them.
        assertThat(messages.commands()).containsExactly("listen channel", "unlisten channel");
    }

    // --- its end ---

    @Test
    void closingEndsTheListenerAndThoseWhoAskInstead() {
        parked("a");
        keys.close();
        await().atMost(PATIENCE).until(() -> !listens());
        assertThat(asking.closed).isTrue();
        assertThat(messages.commands()).endsWith("unlisten channel");
    }

    @Test
    void closingEndsTheListenerThatWaitsToTryAgain() {
        messages.loseMessages(true);
        CompletableFuture<Subscription> first = subscribe("a");
        messages.awaitListener();
        messages.passSilently(CALL_TIMEOUT);
        get(first);
        keys.close();
        await().atMost(Duration.ofSeconds(30)).until(() -> !listens());
    }

    @Test
    void aClosedOneDoesNotBeginToListen() {
        keys.close();
        subscribe("a");
        assertThat(listens()).isFalse();
    }
}
