package io.distlock.jdbc;

import io.distlock.spi.Ticker;
import io.distlock.support.Backoff;
import io.distlock.support.TryLockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * PostgreSQL's messages of releases, on one connection and one thread for all keys of this process. Every few seconds one
 * statement looks at all keys that somebody waits for, so that nobody depends on messages alone, and nobody asks by himself. The
 * connection is made anew when it breaks; whenever it stands again, all who wait look once more.
 *
 * <p>A pooler that changes connections with each transaction loses the messages without an error. So a message of our own must
 * arrive first; if it does not, those who wait ask instead, and the connection is tried again a minute later. They also ask while
 * there is no such connection, as at the server's limit of connections. Thread-safe.
 */
final class NotifiedKeys implements KeyChanges {

    private static final Logger log = LoggerFactory.getLogger(NotifiedKeys.class);

    private static final Duration SILENCE = Duration.ofSeconds(5);
    private static final Duration AFTER_EXPIRY = Duration.ofMillis(5);
    private static final int MOST_AT_A_TIME = 1_000;
    private static final Duration UNTIL_TRIED_AGAIN = Duration.ofMinutes(1);
    private static final Backoff BETWEEN_TRIES = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    private final DatabaseCalls calls;
    private final Ticker ticker;
    private final Duration callTimeout;
    private final String channel;
    private final KeyChanges asking;
    private final Map<String, List<Runnable>> waiting = new ConcurrentHashMap<>();
    private volatile CompletableFuture<Void> listening = new CompletableFuture<>();
    private volatile boolean silent;
    private volatile boolean closed;
    private @Nullable Thread thread;

    /** The other one serves while messages do not arrive. */
    NotifiedKeys(DatabaseCalls calls, Ticker ticker, Duration callTimeout, String channel, KeyChanges asking) {
        this.calls = calls;
        this.ticker = ticker;
        this.callTimeout = callTimeout;
        this.channel = channel;
        this.asking = asking;
    }

    @Override
    public CompletionStage<TryLockStore.Subscription> subscribe(String row, Runnable wake) {
        if (silent) {
            return asking.subscribe(row, wake);
        }
        start();
        waiting.compute(row, (key, all) -> {
            List<Runnable> those = all == null ? new CopyOnWriteArrayList<>() : all;
            those.add(wake);
            return those;
        });
        TryLockStore.Subscription subscription = new TryLockStore.Subscription() {

            @Override
            public boolean looksForWaiters() {
                return stands();
            }

            @Override
            public void close() {
                leave(row, wake);
            }
        };
        CompletableFuture<TryLockStore.Subscription> made = new CompletableFuture<>();
        listening.whenComplete((done, failure) -> {
            if (failure == null) {
                made.complete(subscription);
                return;
            }
            subscription.close();
            asking.subscribe(row, wake).thenAccept(made::complete);
        });
        return made;
    }

    private boolean stands() {
        CompletableFuture<Void> now = listening;
        return now.isDone() && !now.isCompletedExceptionally();
    }

    private void leave(String row, Runnable wake) {
        waiting.computeIfPresent(row, (key, all) -> {
            all.remove(wake);
            return all.isEmpty() ? null : all;
        });
    }

    /** Begins to listen, and so finds out whether messages arrive. */
    synchronized void start() {
        if (thread == null && !closed) {
            thread = new Thread(this::listen, "distlock-jdbc-listener");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void listen() {
        int failures = 0;
        while (!closed) {
            Duration pause;
            try (Connection own = calls.dataSource().getConnection()) {
                pause = receive(own) ? Duration.ZERO : UNTIL_TRIED_AGAIN;
            } catch (SQLException | RuntimeException | LinkageError broken) {
                log.debug("The connection that listens for releases broke", broken);
                failures = listening.isDone() ? 1 : failures + 1;
                pause = BETWEEN_TRIES.pause(failures);
                if (failures > 1) {
                    askInstead("no connection can listen for them");
                }
            }
            if (listening.isDone()) {
                listening = new CompletableFuture<>();
            }
            pause(pause);
        }
    }

    private boolean receive(Connection own) throws SQLException {
        try {
            return receive(own, own.unwrap(PGConnection.class));
        } finally {
            // By the pool's own statement, so that the pool learns of a connection that is broken.
            execute(own, "unlisten " + channel);
        }
    }

    /** Returns only when it is closed, or false if messages do not arrive. */
    private boolean receive(Connection own, PGConnection driver) throws SQLException {
        execute(own, "listen " + channel);
        if (!arrives(driver)) {
            standsBack();
            return false;
        }
        silent = false;
        listening.complete(null);
        waiting.values().forEach(NotifiedKeys::wake);
        Map<String, LockRow.News> seen = new HashMap<>();
        long nextLook = ticker.nanos();
        while (!closed) {
            long left = TimeUnit.NANOSECONDS.toMillis(nextLook - ticker.nanos());
            PGNotification[] messages = left > 0 ? driver.getNotifications(Math.toIntExact(left)) : null;
            if (messages != null) {
                List.of(messages).forEach(message -> released(message.getParameter()));
            }
            if (nextLook - ticker.nanos() <= 0) {
                nextLook = ticker.nanos() + look(own, seen).toNanos();
            }
        }
        return true;
    }

    /**
     * Looks at all rows that somebody here waits for, by one statement, which also proves that the connection is alive: for
     * leases that have ended, and for messages that were lost. Those who wait for what has changed are woken.
     *
     * @return when to look again: every few seconds, and when the next of these leases would end
     */
    private Duration look(Connection own, Map<String, LockRow.News> seen) throws SQLException {
        List<String> keys = List.copyOf(waiting.keySet());
        seen.keySet().retainAll(keys);
        if (keys.isEmpty()) {
            execute(own, "select 1");
            return SILENCE;
        }
        NamedParameterJdbcTemplate database = new NamedParameterJdbcTemplate(new SingleConnectionDataSource(own, true));
        Duration next = SILENCE;
        for (int from = 0; from < keys.size(); from += MOST_AT_A_TIME) {
            List<String> some = keys.subList(from, Math.min(from + MOST_AT_A_TIME, keys.size()));
            Map<String, LockRow> rows = calls.sql().lookAtAll(database, some);
            for (String key : some) {
                Optional<LockRow> row = Optional.ofNullable(rows.get(key));
                LockRow.News news = row.map(LockRow::news).orElse(LockRow.News.NONE);
                LockRow.News before = seen.put(key, news);
                if (row.flatMap(LockRow::mode).isEmpty() || (before != null && !before.equals(news))) {
                    released(key);
                }
                Duration expiry = row.flatMap(LockRow::nextExpiry).orElse(SILENCE);
                next = expiry.compareTo(next) < 0 ? expiry : next;
            }
        }
        return next.plus(AFTER_EXPIRY);
    }

    private boolean arrives(PGConnection driver) throws SQLException {
        send();
        PGNotification[] messages = driver.getNotifications(Math.toIntExact(callTimeout.toMillis()));
        return messages != null && messages.length > 0;
    }

    /** A message to ourselves, by another connection. */
    private void send() {
        calls.call(
                DatabaseCalls.Urgency.KEEP,
                (sql, database) -> database.getJdbcOperations()
                        .query("select pg_notify(?, '{probe}')", (row, number) -> number, channel));
    }

    private void standsBack() {
        if (!silent) {
            log.warn(
                    "PostgreSQL's notifications do not arrive, so those who wait for a lock ask for it repeatedly, which costs"
                            + " statements and time. Probably a pooler changes the connection with each transaction: lead the locks around"
                            + " it with a @LockDataSource");
        }
        askInstead("notifications do not arrive");
    }

    private void askInstead(String why) {
        silent = true;
        listening.completeExceptionally(new IllegalStateException(why));
        waiting.values().forEach(NotifiedKeys::wake);
    }

    private void released(String row) {
        List<Runnable> those = waiting.get(row);
        if (those != null) {
            wake(those);
        }
    }

    private static void wake(List<Runnable> those) {
        new ArrayList<>(those).forEach(Runnable::run);
    }

    private static void execute(Connection own, String sql) throws SQLException {
        try (Statement statement = own.createStatement()) {
            statement.execute(sql);
        }
    }

    private void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    /** The thread learns of it by a message, or from the silence. */
    @Override
    public void close() {
        closed = true;
        asking.close();
        Thread listener;
        synchronized (this) {
            listener = thread;
        }
        if (listener != null) {
            send();
            try {
                listener.join(callTimeout.toMillis());
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
            listener.interrupt();
        }
    }
}
